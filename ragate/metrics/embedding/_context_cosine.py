"""The cosines of a question and each of the retrieved contexts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ragate.core.judging.applicability import unanswerable
from ragate.metrics._sample_metric import Explained
from ragate.metrics.embedding._cosine import cosines
from ragate.metrics.embedding._embedded_metric import (
    EmbeddedMetric,
    Settings,
    Vectors,
    embedded_metric,
)
from ragate.metrics.embedding._reading import reads_low
from ragate.metrics.grounding._grounding import NO_TEXTS, lacks_texts
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BAND = 0.5


def context_cosines(
    request: MetricRequest,
    settings: Settings,
    value: Callable[[npt.NDArray[np.float64]], float],
    *,
    meaning: str,
) -> EmbeddedMetric:
    """Return a metric of the cosines; a chunk without text has 0, nothing retrieved is 0.

    Args:
        value: From the cosines, one for each chunk and at least one, to the score.
        meaning: What a value below 0.5 says.
    """

    def wanted(sample: Sample, output: SystemOutput) -> list[str]:
        texts = [chunk.text for chunk in output.chunks if chunk.text.strip()]
        return [sample.query, *texts] if texts else []

    def of_contexts(
        sample: Sample, output: SystemOutput, vectors: Vectors
    ) -> float | str | Explained:
        import numpy as np

        if not output.chunks:
            return Explained(0.0, "nothing was retrieved")
        if lacks_texts(output):
            return NO_TEXTS
        query, *texts = wanted(sample, output)
        near = np.zeros(len(output.chunks))
        near[: len(texts)] = cosines([query], texts, vectors)[0]
        return reads_low(value(near), BAND, meaning)

    return embedded_metric(
        request,
        settings,
        reads=Reads.RETRIEVAL,
        exclude=unanswerable,
        wanted=wanted,
        formula=of_contexts,
    )
