"""embedded_hallucination: which share of the answer is near to no context?"""

from pydantic import Field

from ragate.core.judging.applicability import unanswerable
from ragate.core.text.words import without_markers
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import Explained
from ragate.metrics.embedding import _embedded_metric
from ragate.metrics.embedding._cosine import cosines
from ragate.metrics.embedding._embedded_metric import (
    SLACK,
    EmbeddedMetric,
    Vectors,
    embedded_metric,
)
from ragate.metrics.embedding._reading import reads_high
from ragate.metrics.grounding._grounding import NO_TEXTS, lacks_texts, worded_sentences
from ragate.models import Direction, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

BAND = 0.3
MEANING = "significant claims have no support"


class Settings(_embedded_metric.Settings):
    """Keys of embedded_hallucination.

    Attributes:
        threshold: Cosine below which a context does not support a sentence.
    """

    threshold: float = Field(default=0.4, gt=0, le=1)


def create(request: MetricRequest) -> EmbeddedMetric:
    """Return embedded_hallucination: the share of answer sentences that no context is near to.

    Formula: share of the sentences s of the answer with max over chunks C of cos(s, C) <
    threshold. Range [0, 1], a fraction, lower is better. Version 1.
    Edge cases: above 0.3 the score says that significant claims have no support; nothing
    retrieved, or no words in the answer: 1; no chunk has a text: unscored; citation markers are
    taken out; unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    settings = own_settings(request, Settings)

    def unsupported(
        _sample: Sample, output: SystemOutput, vectors: Vectors
    ) -> float | str | Explained:
        if lacks_texts(output):
            return NO_TEXTS
        sentences, contexts = _sentences(output), _contexts(output)
        if not contexts or not sentences:
            said = "nothing was retrieved" if sentences else "no words in the answer"
            return Explained(1.0, said)
        best = cosines(sentences, contexts, vectors).max(axis=1)
        return reads_high(float((best < settings.threshold - SLACK).mean()), BAND, MEANING)

    return embedded_metric(
        request,
        settings,
        reads=Reads.ANSWER,
        direction=Direction.LOWER,
        exclude=unanswerable,
        wanted=_wanted,
        formula=unsupported,
    )


def _wanted(_sample: Sample, output: SystemOutput) -> list[str]:
    sentences, contexts = _sentences(output), _contexts(output)
    return [*contexts, *sentences] if sentences and contexts else []


def _sentences(output: SystemOutput) -> list[str]:
    return [without_markers(sentence).strip() for sentence in worded_sentences(output.answer or "")]


def _contexts(output: SystemOutput) -> list[str]:
    return [chunk.text for chunk in output.chunks if chunk.text.strip()]
