"""embedded_token_f1: do the answer's words mean what the reference's words mean?"""

from collections.abc import Sequence

from ragate.core.judging.applicability import without_reference
from ragate.core.text.number_words import in_digits
from ragate.core.text.segmentation import words
from ragate.core.text.words import without_markers
from ragate.metrics._identity import own_settings
from ragate.metrics.embedding import _embedded_metric
from ragate.metrics.embedding._answer_cosine import references_of
from ragate.metrics.embedding._cosine import cosines
from ragate.metrics.embedding._embedded_metric import EmbeddedMetric, Vectors, embedded_metric
from ragate.metrics.reference._reference import harmonic_mean
from ragate.metrics.reference.idf_f1 import Weights, fit
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

MOST_WORDS = 2_000


class Settings(_embedded_metric.Settings):
    """Keys of embedded_token_f1."""


def create(request: MetricRequest) -> EmbeddedMetric:
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
        return max(_f1(answer, _terms(one), vectors, weights) for one in references_of(sample))

    return embedded_metric(
        request,
        own_settings(request, Settings),
        reads=Reads.ANSWER,
        exclude=without_reference,
        wanted=_wanted,
        formula=matched,
        state=table,
    )


def _wanted(sample: Sample, output: SystemOutput) -> list[str]:
    texts = (without_markers(output.answer or ""), *references_of(sample))
    return [word for text in texts for word in _terms(text)]


def _terms(text: str) -> list[str]:
    return list(dict.fromkeys(map(in_digits, words(text))))[:MOST_WORDS]


def _f1(
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
