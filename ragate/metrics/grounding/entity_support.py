"""entity_support: do the names of the answer stand in its sources?"""

from ragate.core.conversation import conversation
from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.names import has_capitals, names
from ragate.core.text.segmentation import content_words, vocabulary
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

Settings = ClaimSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return entity_support: the share of the answer's names that stand in contexts or question.

    Formula: |E(answer) and T(contexts and question)| / |E(answer)|, T the words, E the distinct
    words of capitalised terms; the first word of a sentence is one where it would be capitalised
    anywhere. In an answer without capitals, and in scripts that have none, E is all words that
    carry content. Case does not count, nor an ending of one or two letters. Range [0, 1], a
    fraction, higher is better. Version 2.
    Edge cases: nothing retrieved: the question alone supports; no name: 1, and counted in
    entity_support.checked; a name from elsewhere in the contexts is supported; chunks without
    texts: unscored; unanswerable: not applicable.
    Source: this project; after Nan et al., Entity-level factual consistency, EACL 2021 (precision
    against the source), without their tagger.
    """
    settings = own_settings(request, ClaimSettings)

    def claimed(output: SystemOutput) -> list[str]:
        return _entities(settings.said(output))

    def formula(sample: Sample, output: SystemOutput) -> ValueOrReason:
        return NO_TEXTS if lacks_texts(output) else _support(claimed(output), sample, output)

    metric = claim_metric(request, formula, version=2, settings=settings)
    return of_a_part(metric, request, claimed, called="names")


def _support(entities: list[str], sample: Sample, output: SystemOutput) -> float:
    known = vocabulary([*(chunk.text for chunk in output.chunks), conversation(sample)])
    return known.share(entities)


def _entities(answer: str) -> list[str]:
    if has_capitals(answer):
        return names(answer)
    return list(dict.fromkeys(word for word in content_words(answer) if not word[0].isdigit()))
