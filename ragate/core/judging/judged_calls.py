"""What a judge need not be asked about calls of tools."""

from ragate.core.calls.pairing import why_not
from ragate.core.calls.values import CallRules, as_named, defaults_of
from ragate.core.judging.applicability import gave_nothing
from ragate.models import Sample, Score, SystemOutput, unscored

TOOL_SEMANTICS = "tool_semantics"
NOT_REPORTED = "the system reports no tool calls"


def unjudged(sample: Sample) -> str:
    return "no expected_calls" if sample.expected_calls is None else ""


def without_right_calls(sample: Sample) -> str:
    return unjudged(sample) or ("" if sample.expected_calls else "no call is right")


def unasked_semantics(sample: Sample, output: SystemOutput) -> Score | None:
    """Return the score of calls that need no judgement: none at all, or the right ones."""
    if gave_nothing(output):
        return Score(metric=TOOL_SEMANTICS, value=0.0)
    if output.tool_calls is None:
        return unscored(TOOL_SEMANTICS, NOT_REPORTED)
    if not output.tool_calls:
        return Score(metric=TOOL_SEMANTICS, value=0.0, reason="no call was made")
    expected = sample.expected_calls or ()
    names = {tool.name for tool in sample.tools} | {right.name for right in expected}
    calls = as_named(output.tool_calls, names)
    if why_not(expected, calls, CallRules(defaults_of(sample))):
        return None
    return Score(metric=TOOL_SEMANTICS, value=1.0, reason="the calls are the right ones")
