"""polarity: does the answer negate what its contexts negate, and only that?"""

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.statements import Statement, StatementSources, statements
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

Settings = ClaimSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return polarity: the share of answer sentences that negate as the nearest context sentence.

    Formula: of the sentences of which at least half of the content words stand in one sentence of
    a context, the share that agrees with the nearest one: each negation of either has one in the
    other among the words around it (one before, three behind); a negation of the context counts
    only where half of those words are said. Negations of 16 languages are known by list. Range
    [0, 1], a fraction, higher is better. Version 2.
    Edge cases: no sentence is near enough to one of a context: 1, and counted in polarity.checked;
    opposites that are no negations (allowed, forbidden) are not seen, nor double negation; chunks
    without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """
    settings = own_settings(request, ClaimSettings)

    def paired(output: SystemOutput) -> list[tuple[Statement, Statement]]:
        return _paired(settings.said(output), output)

    def agreement(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        pairs = paired(output)
        return sum(one.agrees_with(source) for one, source in pairs) / len(pairs)

    metric = claim_metric(request, agreement, version=2, settings=settings)
    return of_a_part(metric, request, paired, called="sentences near one of a context")


def _paired(answer: str, output: SystemOutput) -> list[tuple[Statement, Statement]]:
    sources = StatementSources(chunk.text for chunk in output.chunks)
    pairs = [(one, sources.nearest(one)) for one in statements(answer)]
    return [(one, source) for one, source in pairs if source is not None]
