"""tool_routing: are the right tools called, whatever their arguments?"""

from collections.abc import Sequence

from ragate.core.calls.pairing import wrongly_routed
from ragate.metrics.tools._calls import CallMetric, Outcome, call_metric
from ragate.models import Sample, ToolCall
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> CallMetric:
    """Return tool_routing: 1 when the tools that are called are the expected ones, else 0.

    Formula: 1[the names of the calls are the expected names, each as often, in any order]. Range
    {0, 1}, its mean is the router's accuracy, higher is better. Version 1.
    Edge cases: no expected_calls: not applicable; an empty list: 1 without a call; arguments that
    are no JSON do not matter; calls not reported: unscored.
    Source: accuracy of a classifier, here over sets of tools.
    """
    return call_metric(request, _formula)


def _formula(sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
    reason = wrongly_routed(sample.expected_calls or (), calls)
    return float(not reason), reason
