"""number_unit_support: do the answer's numbers stand with the words that they belong to?"""

import re

from ragate.core.conversation import conversation
from ragate.core.text.number_places import NumberPlace, NumberSources, claimed_places
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import without_markers
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import NO_TEXTS, claim_metric, lacks_texts
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

_ITEM = re.compile(r"^\d{1,3}[.)][ \t]")


def create(request: MetricRequest) -> SampleMetric:
    """Return number_unit_support: the share of the answer's numbers that belong where they stand.

    Formula: share of the numbers n (as in number_recall, those of list items left out) that stand
    in contexts or question where fit(n) >= 0.8 fit(any other number there). The fit of two places
    is the sum of 1/d 1/e over the content words that stand d and e words from the number, at most
    six; a sign for a unit, such as % or $, is a word next to it. Range [0, 1], a fraction, higher
    is better. Version 1.
    Edge cases: a computed number counts as unsupported; words beside more than 100 numbers are
    left out; no words around a number: it only has to stand there; no number: 1, and counted in
    number_unit_support.checked; chunks without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """
    metric = claim_metric(request, _support, version=1)
    return of_a_part(metric, request, _claimed, called="numbers")


def _support(sample: Sample, output: SystemOutput) -> ValueOrReason:
    if lacks_texts(output):
        return NO_TEXTS
    sources = NumberSources([*(chunk.text for chunk in output.chunks), conversation(sample)])
    claimed = _claimed(output)
    return sum(map(sources.hold, claimed)) / len(claimed)


def _claimed(output: SystemOutput) -> list[NumberPlace]:
    answer = without_markers(output.answer or "")
    return [
        place
        for sentence in split_sentences(answer)
        for place in claimed_places(_ITEM.sub("", sentence))
    ]
