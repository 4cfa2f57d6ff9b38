"""embedded_sufficiency: which share of the contexts is near enough to the question?"""

from pydantic import Field

from ragate.metrics._identity import own_settings
from ragate.metrics.embedding import _embedded_metric
from ragate.metrics.embedding._context_cosine import context_cosines
from ragate.metrics.embedding._embedded_metric import SLACK, EmbeddedMetric
from ragate.protocols import MetricRequest


class Settings(_embedded_metric.Settings):
    """Keys of embedded_sufficiency.

    Attributes:
        threshold: Cosine from which on a context counts.
    """

    threshold: float = Field(default=0.5, gt=0, le=1)


def create(request: MetricRequest) -> EmbeddedMetric:
    """Return embedded_sufficiency: the share of contexts that are near to the question.

    Formula: share of retrieved chunks C with cos(question, C) >= threshold. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: below 0.5 the score says that evidence may be missing; nothing retrieved, or a chunk
    without text among others: 0; no chunk has a text: unscored; unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    settings = own_settings(request, Settings)
    return context_cosines(
        request,
        settings,
        lambda near: float((near >= settings.threshold - SLACK).mean()),
        meaning="insufficient evidence was retrieved",
    )
