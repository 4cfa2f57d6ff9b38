"""What the retrieval metrics have in common: rankings of documents against relevant ones."""

from collections.abc import Callable

from ragate.core.ranking import ranked_doc_ids
from ragate.metrics._identity import metric_info
from ragate.metrics._sample_metric import SampleMetric, without_relevant
from ragate.models import Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest


def ranking_metric(
    request: MetricRequest,
    formula: Callable[[list[str], Sample], float],
    *,
    version: int = 1,
    settings: Frozen | None = None,
) -> SampleMetric:
    """Return a metric of the document ranking.

    Chunks are collapsed to documents first. A sample without a relevant document is not
    applicable, since no system could score on it; an empty retrieval is scored.
    """
    return SampleMetric(
        info=metric_info(request, version=version, reads=Reads.RETRIEVAL, settings=settings),
        formula=lambda sample, output: formula(ranked_doc_ids(output.chunks), sample),
        exclude=without_relevant,
    )


def first_stage_metric(
    request: MetricRequest, formula: Callable[[list[str], Sample], float], *, version: int = 1
) -> SampleMetric:
    """Return a metric of the ranking before a reranker, which without one is the ranking itself."""

    def before(sample: Sample, output: SystemOutput) -> float:
        if output.first_stage is None:
            return formula(ranked_doc_ids(output.chunks), sample)
        return formula(list(output.first_stage), sample)

    info = metric_info(request, version=version, reads=Reads.RETRIEVAL)
    return SampleMetric(info=info, formula=before, exclude=without_relevant)
