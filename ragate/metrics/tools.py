"""Tool calls against the right calls and the tools' schemas."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from ragate.core.calls.pairing import (
    Tolerance,
    in_order,
    matched,
    why_not,
    why_unequal,
    wrongly_routed,
)
from ragate.core.calls.values import (
    CallRules,
    Mode,
    as_named,
    defaults_of,
    found_entities,
    same_dates,
    texts_alike,
    tool_names,
)
from ragate.core.judging.criteria import NOT_REPORTED, unjudged, without_right_calls
from ragate.files.json_schema import violation
from ragate.metrics._identity import metric_info, no_cut_off, takes
from ragate.metrics._sample_metric import (
    Exclusion,
    Explained,
    MetricOfOutputs,
    SampleMetric,
    ValueOrReason,
    sample_metric,
    settled,
)
from ragate.models import (
    CallResult,
    Executed,
    ExpectedCall,
    Frozen,
    Reads,
    Sample,
    Score,
    SystemOutput,
    ToolCall,
    unscored,
)
from ragate.protocols import MetricRequest
from ragate.settings import shown

Outcome = tuple[float, str]
"""A value, and what is wrong where it is not the best."""
Formula = Callable[[Sample, Sequence[ToolCall]], Outcome]
Rules = Callable[[Sample], CallRules]
_SPELT = {"behavioral": "behavioural"}


class DateSettings(Frozen):
    """Keys of a metric that compares arguments.

    Attributes:
        dates: How a right value that is a date is compared; "" as any other text.
    """

    dates: Annotated[Mode, BeforeValidator(lambda mode: _SPELT.get(mode, mode))] = ""


@dataclass(frozen=True)
class CallMetric(MetricOfOutputs):
    """A metric made of a formula over the calls that were made."""

    formula: Formula
    exclude: Exclusion

    def _score(self, sample: Sample, output: SystemOutput) -> Score:
        name = self.info.name
        if score := settled(self.info, sample, output, exclude=self.exclude):
            return score
        if output.tool_calls is None:
            return unscored(name, NOT_REPORTED)
        calls = as_named(output.tool_calls, tool_names(sample))
        value, reason = self.formula(sample, calls)
        return Score(metric=name, value=value, reason=reason)


def call_metric(
    request: MetricRequest,
    formula: Formula,
    *,
    exclude: Exclusion | None = None,
    settings: Frozen | None = None,
) -> CallMetric:
    """Return a metric on calls: a fraction, higher is better.

    Args:
        exclude: Which samples it leaves out; those without `expected_calls` where none is given.
        settings: Its keys, where it has some.
    """
    no_cut_off(request)
    info = metric_info(request, version=1, reads=Reads.ANSWER, settings=settings)
    return CallMetric(info=info, formula=formula, exclude=exclude or unjudged)


def comparing_metric(
    request: MetricRequest,
    settings: DateSettings,
    formula: Callable[[Sample, Sequence[ToolCall], CallRules], Outcome],
    *,
    exclude: Exclusion | None = None,
) -> CallMetric:
    """Return a metric that compares arguments, by the rules of its keys."""
    rules = rules_of(request, settings)
    return call_metric(
        request,
        lambda sample, calls: formula(sample, calls, rules(sample)),
        exclude=exclude,
        settings=settings,
    )


def rules_of(request: MetricRequest, settings: DateSettings) -> Rules:
    """Return by what the calls of a sample are compared, on the date of the run."""
    today = datetime.datetime.now(datetime.UTC).date()
    if request.eval_date:
        today = datetime.date.fromisoformat(request.eval_date)
    same_text = same_dates(settings.dates, today, texts_alike)
    return lambda sample: CallRules(defaults_of(sample), same_text)


@takes(DateSettings)
def tool_logic(request: MetricRequest, settings: DateSettings) -> CallMetric:
    """Return tool_logic: 1 when the calls made are the expected ones, in any order, else 0.

    Formula: 1[each expected call pairs with one that was made, and none is left over]; a pair
    has one name, every argument that is not optional, no other one, and right values. Range
    {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: no expected_calls: not applicable; an empty list: 1 without a call; an argument
    with its schema's default is as good as none, unless the schema requires it; texts are equal
    without case, blanks and `, . / - _ * ^`, and of two texts that are numbers the numbers count;
    calls not reported: unscored.
    Source: Patil et al., The Berkeley Function Calling Leaderboard, ICML 2025.
    """
    return comparing_metric(request, settings, _all_right)


def _all_right(sample: Sample, calls: Sequence[ToolCall], rules: CallRules) -> Outcome:
    expected = sample.expected_calls or ()
    reason = why_not(expected, calls, rules)
    return float(not reason), reason


@takes(DateSettings)
def tool_f1(request: MetricRequest, settings: DateSettings) -> CallMetric:
    """Return tool_f1: F1 of the calls made against the expected ones, in any order.

    Formula: 2 * pairs / (expected + made), pairs as in tool_logic. Range [0, 1], a fraction,
    higher is better. Version 1.
    Edge cases: no expected_calls: not applicable; nothing expected and nothing made: 1; calls not
    reported: unscored.
    Source: van Rijsbergen, Information Retrieval, 1979; here over name and arguments.
    """
    return comparing_metric(request, settings, _f1)


def _f1(sample: Sample, calls: Sequence[ToolCall], rules: CallRules) -> Outcome:
    expected = sample.expected_calls or ()
    total = len(expected) + len(calls)
    if not total:
        return 1.0, ""
    value = 2 * len(matched(expected, calls, rules)) / total
    return value, why_not(expected, calls, rules)


@takes(DateSettings)
def tool_order(request: MetricRequest, settings: DateSettings) -> CallMetric:
    """Return tool_order: the share of expected calls that were made in their order.

    Formula: length of the longest common subsequence of expected and made calls / expected,
    equal as in tool_logic; other calls between them cost nothing. Range [0, 1], a fraction, higher
    is better. Version 1.
    Edge cases: fewer than two expected calls: not applicable; calls not reported: unscored.
    Source: Hirschberg, A linear space algorithm for maximal common subsequences, CACM 1975.
    """
    return comparing_metric(request, settings, _in_order, exclude=_without_order)


def _without_order(sample: Sample) -> str:
    several = sample.expected_calls is not None and len(sample.expected_calls) > 1
    return unjudged(sample) or ("" if several else "fewer than two expected calls")


def _in_order(sample: Sample, calls: Sequence[ToolCall], rules: CallRules) -> Outcome:
    expected = sample.expected_calls or ()
    right = in_order(expected, calls, rules)
    reason = "" if right == len(expected) else f"{right} of {len(expected)} calls in their order"
    return right / len(expected), reason


def tool_routing(request: MetricRequest) -> CallMetric:
    """Return tool_routing: 1 when the tools that are called are the expected ones, else 0.

    Formula: 1[the names of the calls are the expected names, each as often, in any order]. Range
    {0, 1}, its mean is the router's accuracy, higher is better. Version 1.
    Edge cases: no expected_calls: not applicable; an empty list: 1 without a call; arguments that
    are no JSON do not matter; calls not reported: unscored.
    Source: accuracy of a classifier, here over sets of tools.
    """
    return call_metric(request, _routed)


def _routed(sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
    reason = wrongly_routed(sample.expected_calls or (), calls)
    return float(not reason), reason


def tool_syntax(request: MetricRequest) -> CallMetric:
    """Return tool_syntax: 1 when every call is of a known tool and fits its schema, else 0.

    Formula: 1[for all calls: the tool is one of the sample's, the arguments are a JSON object and
    an instance of the tool's JSON Schema]. Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: types count ("5" is no number), and an argument that the schema does not name is
    wrong unless it says `additionalProperties`; no tools or no expected_calls: not applicable; no
    call: 1 where none is right, else 0, so that silence does not pay; calls not reported: unscored.
    Source: JSON Schema 2020-12; the schema's own `$schema` counts where it has one.
    """
    return call_metric(request, _well_formed, exclude=_without_schemas)


def _without_schemas(sample: Sample) -> str:
    return unjudged(sample) or ("" if sample.tools else "no tools")


def _well_formed(sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
    if not calls:
        missing = bool(sample.expected_calls)
        return float(not missing), "no call was made" if missing else ""
    schemas = {tool.name: tool.parameters for tool in sample.tools}
    for call in calls:
        if reason := _wrong(call, schemas):
            return 0.0, reason
    return 1.0, ""


def _wrong(call: ToolCall, schemas: Mapping[str, Mapping[str, JsonValue]]) -> str:
    if call.name not in schemas:
        return f"{shown(call.name)} is none of the tools"
    if call.malformed:
        return f"{call.name}: the arguments are no JSON object: {shown(call.malformed)}"
    reason = violation(call.arguments, schemas[call.name])
    return f"{call.name}: {reason}" if reason else ""


def irrelevance(request: MetricRequest) -> CallMetric:
    """Return irrelevance: 1 when no tool is called where no call is right, else 0.

    Formula: 1[no call was made]. Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: expected_calls that hold a call, or none given: not applicable; calls not reported:
    unscored.
    Source: Patil et al., The Berkeley Function Calling Leaderboard, ICML 2025.
    """
    return call_metric(request, _none_called, exclude=_with_right_calls)


def _with_right_calls(sample: Sample) -> str:
    return unjudged(sample) or ("a call is right" if sample.expected_calls else "")


def _none_called(_sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
    reason = f"{shown(calls[0].name)} was called, and no call is right" if calls else ""
    return float(not calls), reason


class EntitySettings(DateSettings):
    """Keys of the metric.

    Attributes:
        arguments: Those that hold entities, such as ``ticker``; all, where none is named.
    """

    arguments: tuple[str, ...] = ()


@takes(EntitySettings)
def tool_entities(request: MetricRequest, settings: EntitySettings) -> CallMetric:
    """Return tool_entities: F1 of the entities in the arguments of calls, whatever the tool.

    Formula: 2 * pairs / (expected + given entities); an entity is the value of an argument that
    `arguments` names, each item of a list is one, and values compare as in tool_logic. Where
    several values are right, the one with most pairs counts. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: no expected call has such an argument: not applicable; an optional argument left
    out is not expected; calls not reported: unscored.
    Source: van Rijsbergen, Information Retrieval, 1979; here over values of arguments.
    """
    rules, arguments = rules_of(request, settings), frozenset(settings.arguments)

    def without_entities(sample: Sample) -> str:
        named = (name for right in sample.expected_calls or () for name in right.accepted)
        some = any(not arguments or name in arguments for name in named)
        return unjudged(sample) or ("" if some else "no argument with an entity is expected")

    def formula(sample: Sample, calls: Sequence[ToolCall]) -> Outcome:
        same_text = rules(sample).same_text
        found = found_entities(sample.expected_calls or (), calls, arguments, same_text)
        total = found.right + found.given
        value = 2 * found.both / total if total else 1.0
        extra = f"{found.given - found.both} too many" if value < 1 else ""
        return value, found.missing or extra

    return call_metric(request, formula, exclude=without_entities, settings=settings)


_NOT_EXECUTED = "the calls were not carried out when the output was collected: [policy.execution]"
_OTHER_CALLS = "the results that came with the output are not one for each of its calls"
_NOT_ALL_RIGHT = "a right call was not carried out, and the golden set has no result of it"


class ExecutionSettings(Frozen):
    """Keys of the metric.

    Attributes:
        tolerance: By which two numbers may differ, as a share of the larger one.
        absolute_tolerance: By which they may differ in any case.
        ignore: Keys of results that do not count, such as a time stamp.
    """

    tolerance: float = Field(default=1e-6, ge=0, lt=1)
    absolute_tolerance: float = Field(default=0.0, ge=0)
    ignore: tuple[str, ...] = ()


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


@takes(ExecutionSettings)
def tool_execution(request: MetricRequest, settings: ExecutionSettings) -> SampleMetric:
    """Return tool_execution: 1 when the calls give the results of the right calls, else 0.

    Formula: 1[each right result equals one that the calls gave, in any order, and none is left
    over]; numbers are equal within `tolerance`, texts exactly, lists in order, objects by key.
    Range {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: no call is right: not applicable; calls not carried out, not one result a call, the
    right call without a result, or a tool out of reach: unscored; a call that fails otherwise: 0.
    Source: executable evaluation of the Berkeley Function Calling Leaderboard, ICML 2025.
    """
    tolerance = Tolerance(
        settings.tolerance, settings.absolute_tolerance, frozenset(settings.ignore)
    )

    def right_results(sample: Sample, output: SystemOutput) -> ValueOrReason:
        """Compare the results that were stored; nothing is carried out here."""
        if output.tool_calls is None:
            return NOT_REPORTED
        executed = output.executed
        if executed is None:
            return _NOT_EXECUTED
        if len(executed.made) != len(output.tool_calls):
            return _OTHER_CALLS
        expected = _right_results(sample.expected_calls or (), executed)
        if expected is None:
            return _NOT_ALL_RIGHT
        if wrong := next((right.error for right in expected if right.error), ""):
            return f"the right call gives no result: {wrong}"
        if lost := next((made.error for made in executed.made if made.unreachable), ""):
            return lost
        reason = why_unequal(executed.amended(expected=expected), tolerance)
        return Explained(float(not reason), reason)

    return sample_metric(
        request,
        right_results,
        exclude=without_right_calls,
        reads=Reads.RUN,
        settings=settings,
    )
