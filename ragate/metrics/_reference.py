"""What the metrics against a reference have in common: the best reference counts."""

from __future__ import annotations

from collections.abc import Callable

from ragate.core.text import without_markers
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._shared import SampleMetric, without_reference
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest


def references_of(sample: Sample) -> list[str]:
    """Return the references that say anything."""
    return [reference for reference in sample.references if reference.strip()]


def reference_metric(
    request: MetricRequest,
    similarity: Callable[[str, str], float],
    *,
    version: int = 1,
    state: dict[str, float] | None = None,
) -> SampleMetric:
    """Return a metric that compares an answer with each reference and keeps the best value.

    Citation markers are taken out of the answer first, so that citing costs nothing. Questions
    without a reference and unanswerable ones are not applicable.

    Args:
        similarity: From (answer, reference) to a fraction.
    """

    def best(sample: Sample, output: SystemOutput) -> float:
        answer = without_markers(output.answer or "")
        return max(similarity(answer, reference) for reference in references_of(sample))

    no_cut_off(request)
    return SampleMetric(
        info=metric_info(request, version=version, reads=Reads.ANSWER),
        formula=best,
        exclude=without_reference,
        state=state or {},
    )


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
