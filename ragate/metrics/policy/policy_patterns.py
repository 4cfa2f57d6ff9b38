"""policy_patterns: does the answer hold what it must, and nothing of what it must not?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import regex
from pydantic import AfterValidator, Field

from ragate.core.text.listed_names import listed
from ragate.core.text.unicode_forms import normalised, visible
from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics._sample_metric import Explained, SampleMetric, ValueOrReason
from ragate.models import Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

TIMEOUT_S = 1.0  # for one pattern on one answer; on a few kilobytes a sane one takes microseconds
NO_PATTERN = "policy_patterns has neither `forbidden` nor `required` patterns"
_MOST_NAMED = 5


def _compiled(text: str) -> str:
    try:
        regex.compile(text, regex.IGNORECASE)
    except regex.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
    return text


Pattern = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(_compiled)]
Patterns = Mapping[str, Any]


class Settings(Frozen):
    """Keys of policy_patterns.

    Attributes:
        forbidden: Regular expressions that no answer may hold, by the rule's name.
        required: Likewise, such as every answer to an answerable question has to hold.
    """

    forbidden: dict[str, Pattern] = {}
    required: dict[str, Pattern] = {}


def create(request: MetricRequest) -> SampleMetric:
    """Return policy_patterns: the share of the policy's patterns that the answer keeps to.

    Formula: (forbidden patterns that are not found + required ones that are) / all patterns; case,
    width and invisible characters do not count. Range [0, 1], a fraction, higher is better.
    Version 1.
    Edge cases: an unanswerable question has no required patterns, and without forbidden ones it is
    not applicable; a pattern that takes longer than a second on an answer: unscored; no pattern at
    all: unscored, and an error where the policy names the metric.
    Source: this project.
    """
    no_cut_off(request)
    settings = own_settings(request, Settings)
    forbidden, required = _made(settings.forbidden), _made(settings.required)

    def kept(sample: Sample, output: SystemOutput) -> ValueOrReason:
        wanted = required if sample.answerable else {}
        if not (forbidden or wanted):
            return NO_PATTERN
        answer = normalised("NFKC", visible(output.answer or ""))
        try:
            held = [name for name, one in forbidden.items() if _found(one, answer)]
            missing = [name for name, one in wanted.items() if not _found(one, answer)]
        except TimeoutError:
            return f"a pattern took longer than {TIMEOUT_S:g} s on this answer"
        total = len(forbidden) + len(wanted)
        broken = [f"holds {name}" for name in held] + [f"lacks {name}" for name in missing]
        return Explained((total - len(broken)) / total, listed(broken, most=_MOST_NAMED))

    def exclude(sample: Sample) -> str:
        only_required = bool(required) and not forbidden
        return "unanswerable question" if only_required and not sample.answerable else ""

    info = metric_info(request, version=1, reads=Reads.ANSWER, settings=settings)
    metric = SampleMetric(info=info, formula=kept, exclude=exclude)
    return metric if forbidden or required else replace(metric, unusable=NO_PATTERN)


def _made(patterns: Mapping[str, str]) -> Patterns:
    return {name: regex.compile(text, regex.IGNORECASE) for name, text in patterns.items()}


def _found(pattern: Any, answer: str) -> bool:
    return pattern.search(answer, timeout=TIMEOUT_S) is not None
