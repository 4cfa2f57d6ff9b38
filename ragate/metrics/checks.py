"""Answer checks: passed or not, with the reason, without a label and a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts, unanswerable
from ragate.core.text.endings import cut_off
from ragate.core.text.segmentation import whole_words, words
from ragate.core.text.unicode_forms import visible
from ragate.core.text.words import without_markers
from ragate.metrics._claims import citations_of
from ragate.metrics._identity import (
    Phrase,
    metric_info,
    no_cut_off,
    phrases_of,
    takes,
)
from ragate.metrics._sample_metric import (
    Exclusion,
    Explained,
    SampleMetric,
    applies_to_all,
)
from ragate.models import Frozen, Reads, Sample, Score, ScoreState, SystemOutput
from ragate.protocols import MetricRequest


@dataclass(frozen=True)
class Unmeasured:
    """Why a check cannot tell."""

    why: str


Finding = str | Unmeasured
"""What is wrong with an output, "" where nothing is."""


class Check(SampleMetric):
    """1 where nothing is wrong, else 0 with what is; a failed output fails every check."""

    def _score(self, sample: Sample, output: SystemOutput) -> Score:
        score = super()._score(sample, output)
        if score.state is not ScoreState.VALUE or score.reason or score.value != 0.0:
            return score
        why = "the answer is empty" if output.error is None else f"failed: {output.error.message}"
        return replace(score, reason=why)


def check_metric(
    request: MetricRequest,
    find: Callable[[Sample, SystemOutput], Finding],
    *,
    reads: Reads = Reads.ANSWER,
    settings: Frozen | None = None,
    exclude: Exclusion = unanswerable,
    unusable: str = "",
    version: int = 1,
) -> Check:
    """Return a check by what finds something wrong."""

    def passed(sample: Sample, output: SystemOutput) -> float | str | Explained:
        finding = find(sample, output)
        if isinstance(finding, Unmeasured):
            return finding.why
        return Explained(0.0, finding) if finding else 1.0

    no_cut_off(request)
    info = metric_info(request, version=version, reads=reads, settings=settings)
    return Check(info=info, formula=passed, exclude=exclude, unusable=unusable)


def not_empty(request: MetricRequest) -> Check:
    """Return not_empty: 1 where the answer holds a word or number, else 0.

    Formula: 1[the answer without citation markers has a word]. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: a failed sample: 0, with its message; asked of unanswerable questions as well, since
    a refusal has words.
    Source: this project.
    """
    return check_metric(request, _no_words, exclude=applies_to_all)


def _no_words(_sample: Sample, output: SystemOutput) -> str:
    return "" if words(without_markers(output.answer or "")) else "the answer holds no word"


def complete_answer(request: MetricRequest) -> Check:
    """Return complete_answer: 1 where the answer ends, 0 where it looks cut off.

    Formula: 1[the model did not stop at its limit of tokens, and the answer ends as a sentence,
    item, table or block of code does]: with a sentence's sign of any script, a citation, an
    address, a picture sign, a tag or a whole object of JSON, and not with an open block, row,
    bracket, comma, colon or ellipsis. Range [0, 1], a fraction, higher is better. Version 3.
    Edge cases: six words by themselves, items of a list without full stops, definitions, and lines
    such as "Price: 5 euros" end where no word of grammar is the last; a list of sources at the end
    is left out; one cut behind a whole sentence looks whole; asked of unanswerable
    questions as well.
    Source: this project.
    """
    return check_metric(request, _cut_off, exclude=applies_to_all, version=3)


def _cut_off(_sample: Sample, output: SystemOutput) -> str:
    limit = "the model stopped at its limit of tokens"
    return limit if output.cut_off else cut_off(output.answer or "")


def has_contexts(request: MetricRequest) -> Check:
    """Return has_contexts: 1 where a passage with text was retrieved, else 0.

    Formula: 1[some retrieved chunk has a text]. Range [0, 1], a fraction, higher is better.
    Version 1.
    Edge cases: chunks of which none carries a text: unscored; unanswerable: not applicable.
    Source: this project.
    """
    return check_metric(request, _nothing_retrieved, reads=Reads.RETRIEVAL)


def _nothing_retrieved(_sample: Sample, output: SystemOutput) -> Finding:
    if lacks_texts(output):
        return Unmeasured(NO_TEXTS)
    return "" if output.chunks else "nothing was retrieved"


def has_citations(request: MetricRequest) -> Check:
    """Return has_citations: 1 where the answer cites a retrieved chunk, else 0.

    Formula: 1[some citation n has 1 <= n <= number of chunks]; the citations that the system
    reports where it does, else those of the answer as in citation_validity. Range [0, 1], a
    fraction, higher is better. Version 2.
    Edge cases: nothing retrieved: 0; unanswerable: not applicable.
    Source: this project.
    """
    return check_metric(request, _no_citation, version=2)


def _no_citation(_sample: Sample, output: SystemOutput) -> str:
    cited = citations_of(output)
    if not cited:
        return "the answer cites nothing"
    leads = any(1 <= number <= len(output.chunks) for number in cited)
    return "" if leads else "no citation leads to a retrieved chunk"


_OF: dict[str, Callable[[Sequence[float]], float]] = {
    "best": max,
    "all": min,
    "mean": lambda scores: sum(scores) / len(scores),
}
NO_SCORES = "the retrieved chunks carry no scores"


class ScoreSettings(Frozen):
    """Keys of min_retrieval_score.

    Attributes:
        threshold: Score that has to be reached, in the retriever's own unit; must be set.
        of: Which score: ``best``, ``mean``, or that of ``all`` chunks.
    """

    threshold: float | None = Field(default=None, allow_inf_nan=False)
    of: Literal["best", "mean", "all"] = "best"


@takes(ScoreSettings)
def min_retrieval_score(request: MetricRequest, settings: ScoreSettings) -> Check:
    """Return min_retrieval_score: 1 where the retrieval's score reaches the threshold, else 0.

    Formula: 1[max over chunks of their score >= threshold]; the mean or the minimum in its place
    with of = "mean" or "all". Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved: 0; a chunk without a score: unscored; without a threshold a
    policy cannot name it, since retrievers have no scale in common; unanswerable: not applicable.
    Source: this project.
    """
    threshold = settings.threshold
    if threshold is None:
        lacks = f'{request.name} has no threshold: set it in [policy.metrics."{request.name}"]'
        return check_metric(
            request,
            lambda _sample, _output: Unmeasured(lacks),
            reads=Reads.RETRIEVAL,
            settings=settings,
            unusable=lacks,
        )

    def low(_sample: Sample, output: SystemOutput) -> Finding:
        scores = [chunk.score for chunk in output.chunks if chunk.score is not None]
        if not output.chunks:
            return "nothing was retrieved"
        if len(scores) < len(output.chunks):
            return Unmeasured(NO_SCORES)
        reached = _OF[settings.of](scores)
        if reached >= threshold - 1e-9:
            return ""
        which = "lowest" if settings.of == "all" else settings.of
        return f"the {which} score is {reached:.3g}, below {threshold:g}"

    return check_metric(request, low, reads=Reads.RETRIEVAL, settings=settings)


FALLBACKS = phrases_of("""
    unable to generate, unable to produce, unable to process your, unable to complete your,
    could not generate, can not generate, failed to generate, no answer was generated,
    an error occurred, an error has occurred, something went wrong, internal error,
    please try again, try again later, service is unavailable, temporarily unavailable,
    rate limit exceeded, as an ai language model, no response was generated,
    konnte nicht erzeugt werden, ein fehler ist aufgetreten, bitte versuchen sie es erneut,
    une erreur est survenue, veuillez réessayer, se ha producido un error, inténtelo de nuevo,
    si è verificato un errore, ocorreu um erro
""")


class FallbackSettings(Frozen):
    """Keys of no_fallback.

    Attributes:
        phrases: What stands in for an answer; replaces the built-in list.
        more_phrases: What does so besides.
    """

    phrases: tuple[Phrase, ...] = Field(default=FALLBACKS, min_length=1)
    more_phrases: tuple[Phrase, ...] = ()


@takes(FallbackSettings)
def no_fallback(request: MetricRequest, settings: FallbackSettings) -> Check:
    """Return no_fallback: 0 where the answer holds a text such as "Something went wrong", else 1.

    Formula: 1[no phrase of the list stands in the answer as a run of whole words]; case,
    punctuation and accents that Unicode composes do not count. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: a refusal ("I don't know") is none of them, false_refusal sees it; unanswerable: not
    applicable.
    Source: this project.
    """
    phrases = {whole_words(each): each for each in (*settings.phrases, *settings.more_phrases)}

    def held(_sample: Sample, output: SystemOutput) -> str:
        answer = whole_words(output.answer or "")
        found = next((written for worded, written in phrases.items() if worded in answer), "")
        return f'the answer holds "{found}"' if found else ""

    return check_metric(request, held, settings=settings)


LIST_TAG = "list"
_COUNTS = phrases_of("""
    two, three, four, five, six, seven, eight, nine, ten, 2, 3, 4, 5, 6, 7, 8, 9, 10, all, some
""")
LIST_QUESTIONS = (
    *(f"{verb} {count}" for verb in ("list", "name", "give", "give me") for count in _COUNTS),
    *phrases_of("""
        as a list, give a list, give me a list, make a list, write a list, provide a list,
        list the, bullet points, bulleted, enumerate, step by step, what steps, which steps,
        what are the steps, list the steps, the following steps, what types of, what kinds of,
        what sorts of, what are the types, what are the kinds, what are the options,
        what are the reasons, what are the requirements, what are the advantages,
        what are the disadvantages, what are the benefits, what are the ways, als liste,
        zähle auf, nenne alle, nenne drei, welche schritte, stichpunkte, sous forme de liste,
        énumère, quelles étapes, quelles sont les étapes, en forma de lista, enumera, qué pasos,
        cuáles son los pasos
    """),
)
_ITEM = re.compile(
    r"^[ \t]{0,20}(?:[-*+•◦▪–]|\(?\d{1,3}[.):]|\(?[a-zA-Z][.)])[ \t]+\S", re.MULTILINE
)
_ROW = re.compile(r"^[ \t]{0,20}\|(?=[^\n]*[^\s|:-])[^\n]*\|[ \t]*$", re.MULTILINE)
_INLINE = re.compile(r"(?:^|\s)\(?(\d{1,2})[.)]\s+\S")


class ListSettings(Frozen):
    """Keys of list_structure.

    Attributes:
        phrases: What in a question asks for a list; replaces the built-in list.
        more_phrases: What does so besides.
        items: Items that a list has at least.
    """

    phrases: tuple[Phrase, ...] = Field(default=LIST_QUESTIONS, min_length=1)
    more_phrases: tuple[Phrase, ...] = ()
    items: int = Field(default=2, ge=1, le=100)


@takes(ListSettings)
def list_structure(request: MetricRequest, settings: ListSettings) -> Check:
    """Return list_structure: 1 where a question for a list is answered with one, else 0.

    Formula: 1[the answer has `items` list items or more]: lines that begin with a bullet, a number
    or a letter, rows of a table after its head, or numbers in the text that count up from 1. A
    question asks for a list where it holds a phrase of the list, or has the tag "list". Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: a question that asks for no list, or unanswerable: not applicable.
    Source: this project.
    """
    phrases = [whole_words(each) for each in (*settings.phrases, *settings.more_phrases)]

    def asks_for_none(sample: Sample) -> str:
        query = whole_words(sample.query)
        asked = LIST_TAG in sample.tags or any(phrase in query for phrase in phrases)
        return unanswerable(sample) or ("" if asked else "the question asks for no list")

    def too_few(_sample: Sample, output: SystemOutput) -> str:
        count = items_of(output.answer or "")
        if count >= settings.items:
            return ""
        return f"{count} list items, and the question asks for a list"

    return check_metric(request, too_few, settings=settings, exclude=asks_for_none)


def items_of(answer: str) -> int:
    """Return how many items the longest list of an answer has."""
    shown = visible(answer)
    counted = 0
    for number in map(int, _INLINE.findall(shown)):
        counted += number == counted + 1
    rows = len(_ROW.findall(shown)) - 1
    return max(len(_ITEM.findall(shown)), rows, counted, 0)
