"""Refusals: does the system refuse what it should, and only that?"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import Field

from ragate.core.judging.applicability import NO_ANSWER, failed, provider_failure
from ragate.core.text.segmentation import units, whole_words
from ragate.core.text.sentences import split_sentences
from ragate.core.text.unicode_forms import visible
from ragate.metrics._identity import Phrase, metric_info, no_cut_off, takes
from ragate.metrics._refusal_phrases import DEFAULT_PHRASES
from ragate.metrics._sample_metric import (
    Explained,
    SampleMetric,
    answerable,
    applies_to_all,
    sample_metric,
)
from ragate.models import (
    Direction,
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

# "If the file does not specify a port, 5432 is used" refuses nothing.
_CONDITION = re.compile(
    r"^(?:if|when|whenever|where|unless|wenn|falls|sofern|si|cuando|se|quando|als|wanneer|если)\b"
    r"[^,:]*+[,:]",
    re.IGNORECASE,
)
# Nor is an apology the opening, in whose characters there are more words than in its letters.
_APOLOGY = re.compile(
    r"^(?:죄송합니다|죄송하지만|申し訳(?:ありません|ございません)が?|すみません|(?:非常|很)?抱歉|对不起"
    r"|對不起)[\s.,!。、，！]*"
)
_BLANKS = re.compile(r"\s{2,}+")
OPENING_WORDS = 4
MAX_OPENING = 500


class RefusalSettings(Frozen):
    """Keys of the refusal metrics.

    Attributes:
        phrases: What marks a refusal; replaces the built-in list of several languages.
        more_phrases: What marks one besides.
    """

    phrases: tuple[Phrase, ...] = Field(default=DEFAULT_PHRASES, min_length=1)
    more_phrases: tuple[Phrase, ...] = ()


@cache
def _by_first_word(phrases: tuple[str, ...]) -> dict[str, list[str]]:
    """Return phrases prepared: each is looked for only where its first word stands."""
    prepared = defaultdict[str, list[str]](list)
    for phrase in phrases:
        prepared[units(phrase)[0]].append(whole_words(phrase))
    return prepared


class Refusals:
    """The phrases, prepared once."""

    def __init__(self, settings: RefusalSettings) -> None:
        self._phrases = _by_first_word((*settings.phrases, *settings.more_phrases))

    def __call__(self, answer: str) -> bool:
        """Tell whether the answer opens with a refusal.

        Only the opening counts, up to the first sentence of four words or more and at most 500
        characters: an answer that ends with what the documents leave out is an answer.
        """
        words = units(_opening(answer))
        opening = f" {' '.join(words)} "
        return any(
            phrase in opening
            for first in self._phrases.keys() & words
            for phrase in self._phrases[first]
        )

    def share(self, _sample: Sample, output: SystemOutput) -> float:
        """Return 1 where the output's answer refuses, else 0."""
        return float(self(output.answer or ""))


def _opening(answer: str) -> str:
    taken: list[str] = []
    shown = _BLANKS.sub(_narrowed, visible(answer).strip())
    for sentence in split_sentences(shown[:MAX_OPENING]):
        said = _APOLOGY.sub("", sentence)
        taken.append(sentence[: len(sentence) - len(said)] + _CONDITION.sub("", said))
        if len(units(said)) >= OPENING_WORDS:
            break
    return " ".join(taken)


def _narrowed(blanks: re.Match[str]) -> str:
    """Return white space that parts as much: what follows cannot be pushed out of the opening."""
    return ("\n" * min(2, blanks[0].count("\n"))) or " "


@takes(RefusalSettings)
def refusal_recall(request: MetricRequest, settings: RefusalSettings) -> SampleMetric:
    """Return refusal_recall: 1 when an unanswerable question is refused, else 0.

    Formula: 1[a phrase of the list stands in the answer's opening]. The opening ends with the first
    sentence of four words or more, and after 500 characters; a leading condition ("If …,") is no
    part of it. Range {0, 1}, a fraction, higher is better. Version 3.
    Edge cases: an empty answer is a failure, not a refusal: 0; answerable: not applicable.
    Source: this project.
    """
    formula = Refusals(settings).share
    return sample_metric(request, formula, exclude=answerable, version=3, settings=settings)


@takes(RefusalSettings)
def false_refusal(request: MetricRequest, settings: RefusalSettings) -> SampleMetric:
    """Return false_refusal: 1 when an answerable question is refused, else 0.

    Formula: 1[a phrase of the list stands in the answer's opening]. Range {0, 1}, a fraction,
    lower is better. Version 3.
    Edge cases: a failed sample counts as refused: 1; unanswerable: not applicable.
    Source: this project.
    """
    formula = Refusals(settings).share
    return sample_metric(request, formula, version=3, direction=Direction.LOWER, settings=settings)


@takes(RefusalSettings)
def refusal_calibration(request: MetricRequest, settings: RefusalSettings) -> SampleMetric:
    """Return refusal_calibration: 1 when refusing or answering was the right choice, else 0.

    Formula: 1[a phrase of the list stands in the answer's opening = the question is unanswerable];
    its mean is the share of right choices, where refusal_recall and false_refusal look at one side
    each. Range {0, 1}, a fraction, higher is better. Version 2.
    Edge cases: a failed sample is a wrong choice: 0.
    Source: this project; judged_refusal is the same by a judge.
    """
    refuses = Refusals(settings)

    def right_choice(sample: Sample, output: SystemOutput) -> Explained:
        refused = refuses(output.answer or "")
        return Explained(
            float(refused is not sample.answerable), "refuses" if refused else "answers"
        )

    return sample_metric(
        request, right_choice, exclude=applies_to_all, version=2, settings=settings
    )


@dataclass(frozen=True)
class RefusalF1:
    """F1 of refusing, with the unanswerable questions as the ones to be refused."""

    info: MetricInfo
    refuses: Refusals

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        name = self.info.name
        if all(sample.answerable for sample, _ in pairs):
            return not_applicable(name, "no unanswerable question")
        measured = [pair for pair in pairs if not provider_failure(pair[1])]
        if all(sample.answerable for sample, _ in measured):
            return unscored(name, "a provider failed on every unanswerable question")
        if all(output.answer is None and output.error is None for _, output in measured):
            return unscored(name, NO_ANSWER)
        reason = _left_out(len(pairs) - len(measured))
        return Score(metric=name, value=self._f1(measured), reason=reason)

    def _f1(self, pairs: Sequence[Pair]) -> float:
        right = sum(self._refused(*pair) for pair in pairs if not pair[0].answerable)
        wrong = sum(self._refused(*pair) for pair in pairs if pair[0].answerable)
        to_refuse = sum(not sample.answerable for sample, _ in pairs)
        return 2 * right / (right + wrong + to_refuse)

    def _refused(self, sample: Sample, output: SystemOutput) -> bool:
        """Tell whether the output counts as a refusal; a failed one is wrong either way."""
        if failed(output):
            return sample.answerable
        return self.refuses(output.answer or "")


def _left_out(count: int) -> str:
    return f"{count} sample{'s' * (count > 1)} left out: provider failures" if count else ""


@takes(RefusalSettings)
def refusal_f1(request: MetricRequest, settings: RefusalSettings) -> RefusalF1:
    """Return refusal_f1: the harmonic mean of precision and recall of refusals.

    Formula: 2 tp / (refusals + unanswerable questions), tp the unanswerable questions that were
    refused. Range [0, 1], a fraction, higher is better, over the whole run. Version 3.
    Edge cases: a failed sample is a mistake on either side; samples that a provider's failure
    ended are left out, and the score's reason counts them; no unanswerable question: not
    applicable.
    Source: this project; F1 of van Rijsbergen, 1979.
    """
    no_cut_off(request)
    info = metric_info(request, version=3, reads=Reads.ANSWER, settings=settings)
    return RefusalF1(info.amended(aggregate=True), Refusals(settings))
