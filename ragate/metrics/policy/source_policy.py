"""source_policy: does the answer quote, or put into words of its own, as the sample asks?"""

from collections.abc import Sequence

from pydantic import Field

from ragate.core.judging.applicability import unanswerable
from ragate.core.text.segmentation import units
from ragate.core.text.words import without_markers
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import Explained, SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import (
    NO_TEXTS,
    claim_metric,
    lacks_texts,
    worded_sentences,
)
from ragate.metrics.grounding._phrase_search import phrases_held
from ragate.metrics.grounding.quote_fidelity import MIN_WORDS, QUOTE
from ragate.models import Frozen, Sample, SystemOutput
from ragate.protocols import MetricRequest
from ragate.support.escape import one_line

_SHOWN = 120


class Settings(Frozen):
    """Keys of source_policy.

    Attributes:
        lead_in: Words that may stand around the quotations of a sentence under ``quote_only``.
        longest_copy: Words in a row that an answer may share with a context under ``summarise``.
    """

    lead_in: int = Field(default=8, ge=0, le=100)
    longest_copy: int = Field(default=15, ge=3, le=1000)


def create(request: MetricRequest) -> SampleMetric:
    """Return source_policy: how much of the answer keeps to the form of the sample's policy.

    Formula: under ``quote_only`` sentences that stand in a context whole, or whose quotations do
    with at most ``lead_in`` words around them / all sentences; under ``summarise`` words that stand
    in no run of more than ``longest_copy`` words of a context / all words. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; an answer without words 0; chunks without texts: unscored; a
    policy without a form, none at all, or an unanswerable question: not applicable.
    Source: this project.
    """
    settings = own_settings(request, Settings)

    def kept(sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        contexts = [units(chunk.text) for chunk in output.chunks]
        policy = sample.source_policy
        if not contexts or policy is None:
            return Explained(0.0, "nothing was retrieved")
        if policy.form == "quote_only":
            return _quoted(output.answer or "", contexts, settings.lead_in)
        return _in_own_words(output.answer or "", contexts, settings.longest_copy)

    metric = claim_metric(request, kept, settings=settings)
    return SampleMetric(info=metric.info, formula=kept, exclude=_without_form)


def _without_form(sample: Sample) -> str:
    formed = sample.source_policy is not None and sample.source_policy.form is not None
    return unanswerable(sample) or ("" if formed else "no form in a source policy")


def _quoted(answer: str, contexts: Sequence[list[str]], lead_in: int) -> Explained:
    sentences = [without_markers(sentence) for sentence in worded_sentences(answer)]
    phrases: list[list[str]] = []
    places: list[tuple[int, int]] = []
    for sentence in sentences:
        wanted = [units(sentence)]
        spans = [units("".join(groups)) for groups in QUOTE.findall(sentence)]
        quotes = [span for span in spans if len(span) >= MIN_WORDS]
        if quotes and len(wanted[0]) - sum(map(len, quotes)) <= lead_in:
            wanted = quotes
        places.append((len(phrases), len(phrases) + len(wanted)))
        phrases += wanted
    held = phrases_held(phrases, contexts)
    good = [all(held[start:end]) for start, end in places]
    if all(good):
        return Explained(float(bool(good)), "")
    own = sentences[good.index(False)]
    return Explained(sum(good) / len(good), f"no quotation: {one_line(own, _SHOWN)}")


def _in_own_words(answer: str, contexts: Sequence[list[str]], longest: int) -> Explained:
    said = units(without_markers(answer))
    run = longest + 1
    known = {
        tuple(words[at : at + run]) for words in contexts for at in range(len(words) - longest)
    }
    copied: set[int] = set()
    for start in range(len(said) - longest):
        if tuple(said[start : start + run]) in known:
            copied.update(range(start, start + run))
    if not copied:
        return Explained(float(bool(said)), "")
    first = min(copied)
    text = one_line(" ".join(said[first : first + run]), _SHOWN)
    return Explained(1 - len(copied) / len(said), f"copied: {text}")
