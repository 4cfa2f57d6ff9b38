"""polarity: does the answer negate what its contexts negate, and only that?"""

from ragate.core.text.statements import Statement, StatementSources, statements
from ragate.core.text.words import without_markers
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import NO_TEXTS, claim_metric, lacks_texts
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return polarity: the share of answer sentences that negate as the nearest context sentence.

    Formula: of the sentences of which at least half of the content words stand in one sentence of
    a context, the share that agrees with the nearest one: each negation of either has one in the
    other among the words around it (one before, three behind); a negation of the context counts
    only where half of those words are said. Negations of 16 languages are known by list. Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: no sentence is near enough to one of a context: 1, and counted in polarity.checked;
    opposites that are no negations (allowed, forbidden) are not seen, nor double negation; chunks
    without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """
    metric = claim_metric(request, _polarity, version=1)
    return of_a_part(metric, request, _paired, called="sentences near one of a context")


def _polarity(_sample: Sample, output: SystemOutput) -> ValueOrReason:
    if lacks_texts(output):
        return NO_TEXTS
    paired = _paired(output)
    return sum(one.agrees_with(source) for one, source in paired) / len(paired)


def _paired(output: SystemOutput) -> list[tuple[Statement, Statement]]:
    sources = StatementSources(chunk.text for chunk in output.chunks)
    said = statements(without_markers(output.answer or ""))
    pairs = [(one, sources.nearest(one)) for one in said]
    return [(one, source) for one, source in pairs if source is not None]
