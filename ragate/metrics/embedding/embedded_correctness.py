"""embedded_correctness: how near is the answer to a reference, whatever its words?"""

from ragate.core.judging.applicability import without_reference
from ragate.metrics._identity import own_settings
from ragate.metrics.embedding import _embedded_metric
from ragate.metrics.embedding._answer_cosine import answer_cosine, references_of
from ragate.metrics.embedding._embedded_metric import EmbeddedMetric
from ragate.protocols import MetricRequest


class Settings(_embedded_metric.Settings):
    """Keys of embedded_correctness."""


def create(request: MetricRequest) -> EmbeddedMetric:
    """Return embedded_correctness: the cosine of the answer and the nearest reference.

    Formula: max over references G of cos(A, G), a negative cosine being 0. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: below 0.6 the score says that factual issues are likely; citation markers of the
    answer are taken out; no reference or unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    return answer_cosine(
        request,
        own_settings(request, Settings),
        references_of,
        exclude=without_reference,
        meaning="factual issues are likely",
    )
