"""number_unit_support: do the answer's numbers stand with the words that they belong to?"""

from ragate.core.conversation import conversation
from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.number_places import NumberPlace, NumberSources, claimed_places
from ragate.core.text.sentences import split_sentences
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

Settings = ClaimSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return number_unit_support: the share of the answer's numbers that belong where they stand.

    Formula: share of the numbers n (as in number_recall, those of list items left out) that stand
    in contexts or question with the same unit where fit(n) >= 0.8 fit(any other number there), or
    are one of theirs in another unit of the family, converted and rounded to the figures of n, two
    at least. The fit of two places is the sum of 1/d 1/e over the content words that stand d and e
    words from the number, at most six; a sign for a unit, such as % or $, is a word next to it.
    Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: a number without a unit on one side fits any; what is counted instead of a unit may
    have another name, unless the sources count that as well; "per" differs where both sides say it;
    a computed number counts as unsupported; words beside more than 100 numbers are
    left out; no words around a number: it only has to stand there; no number: 1, and counted in
    number_unit_support.checked; chunks without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """
    settings = own_settings(request, ClaimSettings)

    def claimed(output: SystemOutput) -> list[NumberPlace]:
        return _claimed(settings.said(output))

    def formula(sample: Sample, output: SystemOutput) -> ValueOrReason:
        return NO_TEXTS if lacks_texts(output) else _support(claimed(output), sample, output)

    metric = claim_metric(request, formula, version=2, settings=settings)
    return of_a_part(metric, request, claimed, called="numbers")


def _support(claimed: list[NumberPlace], sample: Sample, output: SystemOutput) -> float:
    sources = NumberSources([*(chunk.text for chunk in output.chunks), conversation(sample)])
    return sum(map(sources.hold, claimed)) / len(claimed)


def _claimed(answer: str) -> list[NumberPlace]:
    return [place for sentence in split_sentences(answer) for place in claimed_places(sentence)]
