"""answer_keywords: does the answer mention what a right one has to?"""

from collections.abc import Callable
from typing import Literal

from ragate.core.judging.applicability import unanswerable
from ragate.core.text.listed_names import listed
from ragate.core.text.segmentation import level, units
from ragate.core.text.unicode_forms import visible
from ragate.core.text.words import without_markers
from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics._sample_metric import Explained, SampleMetric
from ragate.models import Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

Match = Literal["words", "part"]
_MOST_NAMED = 5


class Settings(Frozen):
    """Keys of answer_keywords.

    Attributes:
        match: ``words``: a keyword stands as whole words; ``part``: also inside of words, so that
            *383* stands in *383.3* and *refund* in *refunds*.
    """

    match: Match = "words"


def create(request: MetricRequest) -> SampleMetric:
    """Return answer_keywords: the share of the sample's keywords that the answer mentions.

    Formula: keywords of which a spelling stands in the answer / all keywords; case, punctuation and
    citation markers do not count. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: no keywords or unanswerable: not applicable.
    Source: this project.
    """
    no_cut_off(request)
    settings = own_settings(request, Settings)
    written = _FORMS[settings.match]

    def mentioned(sample: Sample, output: SystemOutput) -> Explained:
        answer = written(without_markers(output.answer or ""))
        missing = [
            spellings[0]
            for spellings in sample.answer_keywords
            if not any(written(one) in answer for one in spellings)
        ]
        total = len(sample.answer_keywords)
        because = f"missing: {listed(missing, most=_MOST_NAMED)}" if missing else ""
        return Explained((total - len(missing)) / total, because)

    return SampleMetric(
        info=metric_info(request, version=1, reads=Reads.ANSWER, settings=settings),
        formula=mentioned,
        exclude=_without_keywords,
    )


def _without_keywords(sample: Sample) -> str:
    return unanswerable(sample) or ("" if sample.answer_keywords else "no keywords")


def _as_words(text: str) -> str:
    """Return the words with a space on either side of each, so that whole words are matched."""
    return f" {' '.join(units(text))} "


def _as_letters(text: str) -> str:
    return " ".join(level(visible(text)).split())


_FORMS: dict[Match, Callable[[str], str]] = {"words": _as_words, "part": _as_letters}
