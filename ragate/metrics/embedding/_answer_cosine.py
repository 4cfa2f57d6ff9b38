"""The cosine of an answer with the nearest of some texts."""

from collections.abc import Callable, Sequence

from ragate.core.text.words import without_markers
from ragate.metrics._sample_metric import Exclusion, Explained
from ragate.metrics.embedding._cosine import cosines
from ragate.metrics.embedding._embedded_metric import (
    EmbeddedMetric,
    Settings,
    Vectors,
    embedded_metric,
)
from ragate.metrics.embedding._reading import reads_low
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

BAND = 0.6  # a lower cosine reads as a miss, with MiniLM


def answer_cosine(
    request: MetricRequest,
    settings: Settings,
    targets: Callable[[Sample], Sequence[str]],
    *,
    exclude: Exclusion,
    meaning: str,
) -> EmbeddedMetric:
    """Return the cosine of the answer, without its citation markers, and the nearest target.

    Args:
        meaning: What a value below 0.6 says.
    """

    def wanted(sample: Sample, output: SystemOutput) -> list[str]:
        return [without_markers(output.answer or ""), *targets(sample)]

    def cosine(sample: Sample, output: SystemOutput, vectors: Vectors) -> float | Explained:
        answer, *texts = wanted(sample, output)
        return reads_low(float(cosines([answer], texts, vectors).max()), BAND, meaning)

    return embedded_metric(
        request, settings, reads=Reads.ANSWER, exclude=exclude, wanted=wanted, formula=cosine
    )


def references_of(sample: Sample) -> list[str]:
    """Return the references that say anything."""
    return [reference for reference in sample.references if reference.strip()]
