"""tool_execution: do the calls lead to the right results?"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from ragate.core.calls.results import Tolerance, why_unequal
from ragate.core.judging.applicability import gave_nothing, provider_failure
from ragate.core.judging.judged_calls import NOT_REPORTED, without_right_calls
from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics._sample_metric import worst
from ragate.models import (
    CallResult,
    Executed,
    ExpectedCall,
    Frozen,
    MetricInfo,
    Reads,
    Sample,
    Score,
    SystemOutput,
    not_applicable,
    unscored,
)
from ragate.protocols import MetricRequest, Pair

_NOT_EXECUTED = "the calls were not carried out when the output was collected: [policy.execution]"
_OTHER_CALLS = "the results that came with the output are not one for each of its calls"
_NOT_ALL_RIGHT = "a right call was not carried out, and the golden set has no result of it"


class Settings(Frozen):
    """Keys of the metric.

    Attributes:
        tolerance: By which two numbers may differ, as a share of the larger one.
        absolute_tolerance: By which they may differ in any case.
        ignore: Keys of results that do not count, such as a time stamp.
    """

    tolerance: float = Field(default=1e-6, ge=0, lt=1)
    absolute_tolerance: float = Field(default=0.0, ge=0)
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToolExecution:
    """Reads the results that were stored; it carries nothing out itself."""

    info: MetricInfo
    tolerance: Tolerance
    state: dict[str, float] = field(default_factory=dict)

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one score a pair, in order."""
        return [self._score(sample, output) for sample, output in pairs]

    def _score(self, sample: Sample, output: SystemOutput) -> Score:
        name = self.info.name
        if reason := without_right_calls(sample):
            return not_applicable(name, reason)
        if reason := provider_failure(output):
            return unscored(name, reason)
        if gave_nothing(output):
            return Score(metric=name, value=worst(self.info))
        if output.tool_calls is None:
            return unscored(name, NOT_REPORTED)
        executed = output.executed
        if executed is None:
            return unscored(name, _NOT_EXECUTED)
        if len(executed.made) != len(output.tool_calls):
            return unscored(name, _OTHER_CALLS)
        expected = _right_results(sample.expected_calls or (), executed)
        if expected is None:
            return unscored(name, _NOT_ALL_RIGHT)
        if wrong := next((right.error for right in expected if right.error), ""):
            return unscored(name, f"the right call gives no result: {wrong}")
        if lost := next((made.error for made in executed.made if made.unreachable), ""):
            return unscored(name, lost)
        reason = why_unequal(executed.amended(expected=expected), self.tolerance)
        return Score(metric=name, value=float(not reason), reason=reason)


def _right_results(
    right: Sequence[ExpectedCall], executed: Executed
) -> tuple[CallResult, ...] | None:
    """Return the result of each right call, None where one is missing.

    What the golden set holds counts, whatever came with the output.
    """
    if len(executed.expected) == len(right):
        carried_out: Sequence[CallResult | None] = executed.expected
    else:
        carried_out = [None] * len(right)
    results = [
        came if call.result is None else CallResult(value=call.result)
        for call, came in zip(right, carried_out, strict=True)
    ]
    known = tuple(result for result in results if result is not None)
    return known if len(known) == len(right) else None


def create(request: MetricRequest) -> ToolExecution:
    """Return tool_execution: 1 when the calls give the results of the right calls, else 0.

    Formula: 1[each right result equals one that the calls gave, in any order, and none is left
    over]; numbers are equal within `tolerance`, texts exactly, lists in order, objects by key.
    Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: no call is right: not applicable; calls not carried out, not one result a call, the
    right call without a result, or a tool out of reach: unscored; a call that fails otherwise: 0.
    Source: executable evaluation of the Berkeley Function Calling Leaderboard, ICML 2025.
    """
    no_cut_off(request)
    settings = own_settings(request, Settings)
    tolerance = Tolerance(
        settings.tolerance, settings.absolute_tolerance, frozenset(settings.ignore)
    )
    info = metric_info(request, version=1, reads=Reads.RUN, settings=settings)
    return ToolExecution(info, tolerance)
