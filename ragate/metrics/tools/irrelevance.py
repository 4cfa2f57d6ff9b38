"""irrelevance: does the system call no tool where none helps?"""

from collections.abc import Sequence

from ragate.core.judging.judged_calls import unjudged
from ragate.metrics.tools._calls import CallMetric, Outcome, call_metric
from ragate.models import Sample, ToolCall
from ragate.protocols import MetricRequest
from ragate.support.settings import shown


def create(request: MetricRequest) -> CallMetric:
    """Return irrelevance: 1 when no tool is called where no call is right, else 0.

    Formula: 1[no call was made]. Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: expected_calls that hold a call, or none given: not applicable; calls not reported:
    unscored.
    Source: Patil et al., The Berkeley Function Calling Leaderboard, ICML 2025.
    """
    return call_metric(request, _formula, exclude=_with_right_calls)


def _with_right_calls(sample: Sample) -> str:
    return unjudged(sample) or ("a call is right" if sample.expected_calls else "")


def _formula(_sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
    reason = f"{shown(calls[0].name)} was called, and no call is right" if calls else ""
    return float(not calls), reason
