"""embedded_answer_relevance: does the answer mean what the reference means?"""

from typing import Literal

from ragate.core.judging.applicability import unanswerable, without_reference
from ragate.metrics._identity import own_settings
from ragate.metrics.embedding import _embedded_metric
from ragate.metrics.embedding._answer_cosine import answer_cosine, references_of
from ragate.metrics.embedding._embedded_metric import EmbeddedMetric
from ragate.models import Sample
from ragate.protocols import MetricRequest

MEANING = "the answer may not address the question"


class Settings(_embedded_metric.Settings):
    """Keys of embedded_answer_relevance.

    Attributes:
        against: What the answer is compared with: ``reference`` or ``question``.
    """

    against: Literal["reference", "question"] = "reference"


def create(request: MetricRequest) -> EmbeddedMetric:
    """Return embedded_answer_relevance: the cosine of the answer and the nearest reference.

    Formula: max over references G of cos(A, G), a negative cosine being 0; with against =
    "question" cos(A, question). Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: below 0.6 the score says that the answer may not address the question; citation
    markers of the answer are taken out; no reference (unless against = "question") or
    unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    settings = own_settings(request, Settings)
    if settings.against == "question":
        return answer_cosine(request, settings, _question, exclude=unanswerable, meaning=MEANING)
    return answer_cosine(
        request, settings, references_of, exclude=without_reference, meaning=MEANING
    )


def _question(sample: Sample) -> list[str]:
    return [sample.query]
