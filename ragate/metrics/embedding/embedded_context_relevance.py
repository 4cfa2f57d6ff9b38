"""embedded_context_relevance: how near are the retrieved contexts to the question?"""

from ragate.metrics._identity import own_settings
from ragate.metrics.embedding import _embedded_metric
from ragate.metrics.embedding._context_cosine import context_cosines
from ragate.metrics.embedding._embedded_metric import EmbeddedMetric
from ragate.protocols import MetricRequest


class Settings(_embedded_metric.Settings):
    """Keys of embedded_context_relevance."""


def create(request: MetricRequest) -> EmbeddedMetric:
    """Return embedded_context_relevance: the mean cosine of question and contexts.

    Formula: mean over retrieved chunks C of cos(question, C), a negative cosine being 0. Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: below 0.5 the score says that contexts may be off-topic; nothing retrieved, or a
    chunk without text among others: 0; no chunk has a text: unscored; unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    return context_cosines(
        request,
        own_settings(request, Settings),
        lambda near: float(near.mean()),
        meaning="retrieved contexts may be off-topic",
    )
