"""idf_f1: word overlap of answer and reference, rare words counting most."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import log

from ragate.core.text.number_words import in_digits
from ragate.core.text.segmentation import words
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import harmonic_mean, is_worded, reference_metric
from ragate.models import Sample
from ragate.protocols import MetricRequest

SIZE = ""
"""The key of the table's number of samples; no token is empty."""


def create(request: MetricRequest) -> SampleMetric:
    """Return idf_f1: F1 of the sets of words, each weighted by its inverse document frequency.

    Formula: max over references of F1(w(A and R) / w(A), w(A and R) / w(R)), w(S) the sum over
    distinct words of ln(1 + N / df), df the number of the N samples whose references hold the
    word, at least 1. Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: the table is fitted on the references of the golden set and then kept in the
    baseline, so that a new question shifts no other score; eight is 8; a side without any word
    scores 0; no reference or unanswerable: not applicable.
    Source: Spärck Jones, A statistical interpretation of term specificity, 1972 (the weight).
    """
    table = dict(request.state) if request.state else fit(request.samples)
    weights = Weights(table)
    return reference_metric(request, weights.f1, version=2, state=table)


def fit(samples: Iterable[Sample]) -> dict[str, float]:
    """Return the number of samples with a reference and each word's document frequency.

    Words of one sample only are left out: an unknown word counts as one of them.
    """
    documents = [
        {word for reference in sample.references for word in _terms(reference)}
        for sample in samples
        if any(map(is_worded, sample.references))
    ]
    counts = Counter(word for words in documents for word in words)
    table = {word: float(counts[word]) for word in sorted(counts) if counts[word] > 1}
    return {SIZE: float(len(documents)), **table}


def _terms(text: str) -> Iterator[str]:
    return map(in_digits, words(text))


class Weights:
    """The weights of words, from a table of document frequencies."""

    def __init__(self, table: Mapping[str, float]) -> None:
        size = max(table.get(SIZE, 1.0), 1.0)
        self._weights = {word: log(1 + size / max(count, 1)) for word, count in table.items()}
        self._unknown = log(1 + size)

    def total(self, words: Iterable[str]) -> float:
        # Sorted, so that the sum has the same last digit whatever the order of a set.
        return sum(self._weights.get(word, self._unknown) for word in sorted(words))

    def f1(self, answer: str, reference: str) -> float:
        answer_words, reference_words = set(_terms(answer)), set(_terms(reference))
        if not answer_words or not reference_words:
            return 0.0
        common = self.total(answer_words & reference_words)
        return harmonic_mean(
            common / self.total(answer_words), common / self.total(reference_words)
        )
