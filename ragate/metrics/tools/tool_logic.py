"""tool_logic: are the calls the right ones?"""

from collections.abc import Sequence

from ragate.core.calls.pairing import why_not
from ragate.core.calls.values import CallRules
from ragate.metrics.tools._calls import CallMetric, DateSettings, Outcome, comparing_metric
from ragate.models import Sample, ToolCall
from ragate.protocols import MetricRequest

Settings = DateSettings


def create(request: MetricRequest) -> CallMetric:
    """Return tool_logic: 1 when the calls made are the expected ones, in any order, else 0.

    Formula: 1[each expected call pairs with one that was made, and none is left over]; a pair
    has one name, every argument that is not optional, no other one, and right values. Range
    {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: no expected_calls: not applicable; an empty list: 1 without a call; an argument
    with its schema's default is as good as none; calls not reported: unscored.
    Source: Patil et al., The Berkeley Function Calling Leaderboard, ICML 2025.
    """
    return comparing_metric(request, _formula)


def _formula(sample: Sample, calls: Sequence[ToolCall], rules: CallRules) -> Outcome:
    expected = sample.expected_calls or ()
    reason = why_not(expected, calls, rules)
    return float(not reason), reason
