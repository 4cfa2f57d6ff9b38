"""tool_order: were the right calls made in their order?"""

from collections.abc import Sequence

from ragate.core.calls.pairing import in_order
from ragate.core.calls.values import CallRules
from ragate.core.judging.judged_calls import unjudged
from ragate.metrics.tools._calls import (
    CallMetric,
    DateSettings,
    Outcome,
    comparing_metric,
)
from ragate.models import Sample, ToolCall
from ragate.protocols import MetricRequest

Settings = DateSettings


def create(request: MetricRequest) -> CallMetric:
    """Return tool_order: the share of expected calls that were made in their order.

    Formula: length of the longest common subsequence of expected and made calls / expected,
    equal as in tool_logic; other calls between them cost nothing. Range [0, 1], a fraction, higher
    is better. Version 1.
    Edge cases: fewer than two expected calls: not applicable; calls not reported: unscored.
    Source: Hirschberg, A linear space algorithm for maximal common subsequences, CACM 1975.
    """
    return comparing_metric(request, _formula, exclude=_without_order)


def _without_order(sample: Sample) -> str:
    several = sample.expected_calls is not None and len(sample.expected_calls) > 1
    return unjudged(sample) or ("" if several else "fewer than two expected calls")


def _formula(sample: Sample, calls: Sequence[ToolCall], rules: CallRules) -> Outcome:
    expected = sample.expected_calls or ()
    right = in_order(expected, calls, rules)
    reason = "" if right == len(expected) else f"{right} of {len(expected)} calls in their order"
    return right / len(expected), reason
