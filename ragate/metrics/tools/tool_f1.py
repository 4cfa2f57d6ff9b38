"""tool_f1: how many of the calls are right, and how many of the right ones were made?"""

from collections.abc import Sequence

from ragate.core.calls.pairing import matched, why_not
from ragate.core.calls.values import CallRules
from ragate.metrics.tools._calls import CallMetric, DateSettings, Outcome, comparing_metric
from ragate.models import Sample, ToolCall
from ragate.protocols import MetricRequest

Settings = DateSettings


def create(request: MetricRequest) -> CallMetric:
    """Return tool_f1: F1 of the calls made against the expected ones, in any order.

    Formula: 2 * pairs / (expected + made), pairs as in tool_logic. Range [0, 1], a fraction,
    higher is better. Version 1.
    Edge cases: no expected_calls: not applicable; nothing expected and nothing made: 1; calls not
    reported: unscored.
    Source: van Rijsbergen, Information Retrieval, 1979; here over name and arguments.
    """
    return comparing_metric(request, _formula)


def _formula(sample: Sample, calls: Sequence[ToolCall], rules: CallRules) -> Outcome:
    expected = sample.expected_calls or ()
    total = len(expected) + len(calls)
    if not total:
        return 1.0, ""
    value = 2 * len(matched(expected, calls, rules)) / total
    return value, why_not(expected, calls, rules)
