"""By embeddings: how near texts are in meaning, by any embedder of ragate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts, unanswerable, without_reference
from ragate.core.text.numerals import in_digits
from ragate.core.text.segmentation import words
from ragate.core.text.words import without_markers
from ragate.metrics._claims import worded_sentences
from ragate.metrics._embedded import (
    SLACK,
    EmbeddedMetric,
    EmbeddingSettings,
    Vectors,
    cosines,
    embedded_metric,
)
from ragate.metrics._identity import takes
from ragate.metrics._sample_metric import Exclusion, Explained
from ragate.metrics.reference import harmonic_mean
from ragate.metrics.reference_content import Weights, fit
from ragate.models import Direction, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def reads_low(value: float, band: float, meaning: str) -> float | Explained:
    """Return the value, with its meaning where it is below its band."""
    return value if value >= band - 1e-9 else Explained(value, f"below {band:g}: {meaning}")


ANSWER_BAND = 0.6  # a lower cosine reads as a miss, with MiniLM


def answer_cosine(
    request: MetricRequest,
    settings: EmbeddingSettings,
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
        return reads_low(float(cosines([answer], texts, vectors).max()), ANSWER_BAND, meaning)

    return embedded_metric(
        request, settings, reads=Reads.ANSWER, exclude=exclude, wanted=wanted, formula=cosine
    )


def references_of(sample: Sample) -> list[str]:
    """Return the references that say anything."""
    return [reference for reference in sample.references if reference.strip()]


CONTEXT_BAND = 0.5


def context_cosines(
    request: MetricRequest,
    settings: EmbeddingSettings,
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
        texts = _contexts(output)
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
        return reads_low(value(near), CONTEXT_BAND, meaning)

    return embedded_metric(
        request,
        settings,
        reads=Reads.RETRIEVAL,
        exclude=unanswerable,
        wanted=wanted,
        formula=of_contexts,
    )


@takes(EmbeddingSettings)
def embedded_correctness(request: MetricRequest, settings: EmbeddingSettings) -> EmbeddedMetric:
    """Return embedded_correctness: the cosine of the answer and the nearest reference.

    Formula: max over references G of cos(A, G), a negative cosine being 0. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: below 0.6 the score says that factual issues are likely; citation markers of the
    answer are taken out; no reference or unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    return answer_cosine(
        request,
        settings,
        references_of,
        exclude=without_reference,
        meaning="factual issues are likely",
    )


UNADDRESSED = "the answer may not address the question"


class RelevanceSettings(EmbeddingSettings):
    """Keys of embedded_answer_relevance.

    Attributes:
        against: What the answer is compared with: ``reference`` or ``question``.
    """

    against: Literal["reference", "question"] = "reference"


@takes(RelevanceSettings)
def embedded_answer_relevance(
    request: MetricRequest, settings: RelevanceSettings
) -> EmbeddedMetric:
    """Return embedded_answer_relevance: the cosine of answer and reference, or question.

    Formula: max over references G of cos(A, G), a negative cosine being 0; with against =
    "question" cos(A, question). Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: below 0.6 the score says that the answer may not address the question; citation
    markers of the answer are taken out; no reference (unless against = "question") or
    unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    if settings.against == "question":
        exclude, targets = unanswerable, _question
    else:
        exclude, targets = without_reference, references_of
    return answer_cosine(request, settings, targets, exclude=exclude, meaning=UNADDRESSED)


def _question(sample: Sample) -> list[str]:
    return [sample.query]


MOST_WORDS = 2_000


@takes(EmbeddingSettings)
def embedded_token_f1(request: MetricRequest, settings: EmbeddingSettings) -> EmbeddedMetric:
    """Return embedded_token_f1: F1 of words matched by meaning, rare ones counting most.

    Formula: max over references R of F1(p, r), p the mean over the distinct words a of the answer
    of max over words b of R of cos(a, b), weighted by ln(1 + N / df(a)), r the same the other way
    round; a word has the vector of a text of its own, and itself the cosine 1. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: the table of frequencies is kept in the baseline, as for idf_f1; the first 2,000
    distinct words of a text count; a side without any word: 0; no reference or unanswerable: not
    applicable.
    Source: Zhang et al., BERTScore, ICLR 2020 (the greedy matching and its weights).
    """
    table = dict(request.state) if request.state else fit(request.samples)
    weights = Weights(table)

    def matched(sample: Sample, output: SystemOutput, vectors: Vectors) -> float:
        answer = _terms(without_markers(output.answer or ""))
        return max(
            _matched_f1(answer, _terms(one), vectors, weights) for one in references_of(sample)
        )

    return embedded_metric(
        request,
        settings,
        reads=Reads.ANSWER,
        exclude=without_reference,
        wanted=_words,
        formula=matched,
        state=table,
    )


def _words(sample: Sample, output: SystemOutput) -> list[str]:
    texts = (without_markers(output.answer or ""), *references_of(sample))
    return [word for text in texts for word in _terms(text)]


def _terms(text: str) -> list[str]:
    return list(dict.fromkeys(map(in_digits, words(text))))[:MOST_WORDS]


def _matched_f1(
    answer: Sequence[str], reference: Sequence[str], vectors: Vectors, weights: Weights
) -> float:
    import numpy as np

    if not answer or not reference:
        return 0.0
    near = cosines(answer, reference, vectors)
    near[np.equal.outer(np.array(answer, object), np.array(reference, object))] = 1.0
    shares = [
        float(np.average(best, weights=[weights.total([word]) for word in side]))
        for best, side in ((near.max(axis=1), answer), (near.max(axis=0), reference))
    ]
    return min(1.0, harmonic_mean(*shares))


@takes(EmbeddingSettings)
def embedded_context_relevance(
    request: MetricRequest, settings: EmbeddingSettings
) -> EmbeddedMetric:
    """Return embedded_context_relevance: the mean cosine of question and contexts.

    Formula: mean over retrieved chunks C of cos(question, C), a negative cosine being 0. Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: below 0.5 the score says that contexts may be off-topic; nothing retrieved, or a
    chunk without text among others: 0; no chunk has a text: unscored; unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    return context_cosines(
        request,
        settings,
        lambda near: float(near.mean()),
        meaning="retrieved contexts may be off-topic",
    )


class SufficiencySettings(EmbeddingSettings):
    """Keys of embedded_sufficiency.

    Attributes:
        threshold: Cosine from which on a context counts.
    """

    threshold: float = Field(default=0.5, gt=0, le=1)


@takes(SufficiencySettings)
def embedded_sufficiency(request: MetricRequest, settings: SufficiencySettings) -> EmbeddedMetric:
    """Return embedded_sufficiency: the share of contexts that are near to the question.

    Formula: share of retrieved chunks C with cos(question, C) >= threshold. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: below 0.5 the score says that evidence may be missing; nothing retrieved, or a chunk
    without text among others: 0; no chunk has a text: unscored; unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """
    return context_cosines(
        request,
        settings,
        lambda near: float((near >= settings.threshold - SLACK).mean()),
        meaning="insufficient evidence was retrieved",
    )


UNSUPPORTED = 0.3


class HallucinationSettings(EmbeddingSettings):
    """Keys of embedded_hallucination.

    Attributes:
        threshold: Cosine below which a context does not support a sentence.
    """

    threshold: float = Field(default=0.4, gt=0, le=1)


@takes(HallucinationSettings)
def embedded_hallucination(
    request: MetricRequest, settings: HallucinationSettings
) -> EmbeddedMetric:
    """Return embedded_hallucination: the share of answer sentences that no context is near to.

    Formula: share of the sentences s of the answer with max over chunks C of cos(s, C) <
    threshold. Range [0, 1], a fraction, lower is better. Version 1.
    Edge cases: above 0.3 the score says that significant claims have no support; nothing
    retrieved, or no words in the answer: 1; no chunk has a text: unscored; citation markers are
    taken out; unanswerable: not applicable.
    Source: the usual similarity of sentence embeddings, Reimers and Gurevych, EMNLP 2019.
    """

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
        share = float((best < settings.threshold - SLACK).mean())
        if share <= UNSUPPORTED + SLACK:
            return share
        return Explained(share, f"above {UNSUPPORTED:g}: significant claims have no support")

    return embedded_metric(
        request,
        settings,
        reads=Reads.ANSWER,
        direction=Direction.LOWER,
        exclude=unanswerable,
        wanted=_sentences_and_contexts,
        formula=unsupported,
    )


def _sentences_and_contexts(_sample: Sample, output: SystemOutput) -> list[str]:
    sentences, contexts = _sentences(output), _contexts(output)
    return [*contexts, *sentences] if sentences and contexts else []


def _sentences(output: SystemOutput) -> list[str]:
    return [without_markers(sentence).strip() for sentence in worded_sentences(output.answer or "")]


def _contexts(output: SystemOutput) -> list[str]:
    return [chunk.text for chunk in output.chunks if chunk.text.strip()]
