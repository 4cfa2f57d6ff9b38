"""What can be told of a score before anything is measured: from the sample, and from failures."""

import re

from ragate.models import Sample, SystemOutput

NO_ANSWER = "no answer was asked for"
NO_TEXTS = "the retrieved chunks carry no text"
PAIRWISE = "pairwise"  # of two answers; see `ragate.protocols.Judge`


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


_IN_TIME = re.compile(r"within [\d.]+ s\b")


def ran_out_of_time(reason: str) -> bool:
    """Return whether something failed since it took longer than it may."""
    return _IN_TIME.search(reason) is not None
