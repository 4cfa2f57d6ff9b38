"""What the retrieval metrics have in common: rankings of documents against relevant ones."""

from collections.abc import Callable
from typing import ClassVar

from pydantic import Field

from ragate.core.ranking import ranked_doc_ids
from ragate.metrics._identity import metric_info, own_settings
from ragate.metrics._sample_metric import SampleMetric, without_relevant
from ragate.models import Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

Formula = Callable[[list[str], Sample], float]
Ranking = Callable[[SystemOutput], list[str]]
LOWEST_RELEVANT = 1


class RankingSettings(Frozen):
    """Keys of every retrieval metric.

    Attributes:
        relevant_from: The lowest grade that counts as relevant; lower ones are judged, and gain
            nothing.
    """

    CAME_LATER: ClassVar[frozenset[str]] = frozenset({"relevant_from"})

    relevant_from: int = Field(default=LOWEST_RELEVANT, ge=LOWEST_RELEVANT, le=1000)


def ranking_metric(
    request: MetricRequest,
    formula: Formula,
    *,
    version: int = 1,
    settings: RankingSettings | None = None,
) -> SampleMetric:
    """Return a metric of the document ranking.

    Chunks are collapsed to documents first. A sample without a relevant document is not
    applicable, since no system could score on it, nor is one whose passages the golden set
    arranges; an empty retrieval is scored.
    """
    return _metric(request, formula, _ranked, version=version, settings=settings)


def first_stage_metric(
    request: MetricRequest, formula: Formula, *, version: int = 1
) -> SampleMetric:
    """Return a metric of the ranking before a reranker, which without one is the ranking itself."""
    return _metric(request, formula, _ranked_before, version=version)


def _metric(
    request: MetricRequest,
    formula: Formula,
    ranking: Ranking,
    *,
    version: int,
    settings: RankingSettings | None = None,
) -> SampleMetric:
    settings = own_settings(request, RankingSettings) if settings is None else settings
    graded = _seen_from(settings.relevant_from)
    return SampleMetric(
        info=metric_info(request, version=version, reads=Reads.RETRIEVAL, settings=settings),
        formula=lambda sample, output: formula(ranking(output), graded(sample)),
        exclude=lambda sample: without_relevant(graded(sample)) or _arranged(sample),
    )


def _arranged(sample: Sample) -> str:
    """Its ranking is made by the golden set, not by the system."""
    return f"its passages are arranged ({sample.arrange})" if sample.arrange else ""


def _seen_from(lowest: int) -> Callable[[Sample], Sample]:
    """Return what a sample looks like where only grades from `lowest` on are relevant."""
    if lowest == LOWEST_RELEVANT:
        return lambda sample: sample

    def graded(sample: Sample) -> Sample:
        grades = sample.relevant.items()
        relevant = {doc_id: grade if grade >= lowest else min(grade, 0) for doc_id, grade in grades}
        return sample.amended(relevant=relevant)

    return graded


def _ranked(output: SystemOutput) -> list[str]:
    return ranked_doc_ids(output.chunks)


def _ranked_before(output: SystemOutput) -> list[str]:
    return _ranked(output) if output.first_stage is None else list(output.first_stage)
