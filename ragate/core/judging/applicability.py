"""What can be told of a score before anything is measured: from the sample, failures and calls."""

from ragate.core.calls.pairing import why_not
from ragate.core.calls.values import CallRules, as_named, defaults_of
from ragate.models import Sample, Score, SystemOutput, unscored

NO_ANSWER = "no answer was asked for"
NO_TEXTS = "the retrieved chunks carry no text"
PAIRWISE = "pairwise"  # of two answers; see `ragate.protocols.Judge`
TOOL_SEMANTICS = "tool_semantics"
NOT_REPORTED = "the system reports no tool calls"


def provider_failure(output: SystemOutput) -> str:
    """Return why a provider's failure left the output unmeasured, "" where none did."""
    if output.error is not None and output.error.kind == "provider":
        return f"provider: {output.error.message}"
    return ""


def failed(output: SystemOutput) -> bool:
    """Tell whether the system gave no answer where one was wanted: an error, or an empty one."""
    if output.error is not None:
        return output.error.kind == "system"
    return output.answer is not None and not output.answer.strip()


def gave_nothing(output: SystemOutput) -> bool:
    """Tell whether the system itself failed: an error, or an empty answer and no call of a tool.

    A reply of calls alone often has an empty text beside them.
    """
    return failed(output) and (output.error is not None or not output.tool_calls)


def lacks_texts(output: SystemOutput) -> bool:
    """Tell whether chunks were retrieved and none has a text to check against."""
    return bool(output.chunks) and not any(chunk.text.strip() for chunk in output.chunks)


def unanswerable(sample: Sample) -> str:
    return "" if sample.answerable else "unanswerable question"


def without_reference(sample: Sample) -> str:
    if not sample.answerable:
        return unanswerable(sample)
    return "" if any(map(str.strip, sample.references)) else "no reference answer"


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
