"""Answers against what a reference says: rare words, numbers, what it adds to the question."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import log

from ragate.core.judging.applicability import without_reference
from ragate.core.text.claims import claims
from ragate.core.text.markdown import readable
from ragate.core.text.numerals import in_digits
from ragate.core.text.segmentation import content_words, words
from ragate.core.text.vocabulary import Vocabulary
from ragate.core.text.words import without_markers
from ragate.metrics._sample_metric import SampleMetric, sample_metric
from ragate.metrics.reference import harmonic_mean, reference_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

SIZE = ""
"""The key of the table's number of samples; no token is empty."""


def idf_f1(request: MetricRequest) -> SampleMetric:
    """Return idf_f1: F1 of the sets of words, each weighted by its inverse document frequency.

    Formula: max over references of F1(w(A and R) / w(A), w(A and R) / w(R)), w(S) the sum over
    distinct words of ln(1 + N / df), df the number of the N samples whose references hold the
    word, at least 1; marks of Markdown and sentences that assert nothing are left out. Range
    [0, 1], a fraction, higher is better. Version 4.
    Edge cases: the table is fitted on the references of the golden set and then kept in the
    baseline, so that a new question shifts no other score; eight is 8; a side without any word
    scores 0; no reference or unanswerable: not applicable.
    Source: Spärck Jones, A statistical interpretation of term specificity, 1972 (the weight).
    """
    table = dict(request.state) if request.state else fit(request.samples)
    weights = Weights(table)
    return reference_metric(request, weights.f1, version=4, state=table)


def fit(samples: Iterable[Sample]) -> dict[str, float]:
    """Return the number of samples with a reference and each word's document frequency.

    Words of one sample only are left out: an unknown word counts as one of them.
    """
    documents = [
        {word for reference in sample.references for word in _terms(reference)}
        for sample in samples
        if any(map(str.strip, sample.references))
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
        answer_words = {
            term for claim in claims(answer) if not claim.is_label for term in _terms(claim.text)
        }
        reference_words = set(_terms(readable(reference)))
        if not answer_words or not reference_words:
            return 0.0
        common = self.total(answer_words & reference_words)
        return harmonic_mean(
            common / self.total(answer_words), common / self.total(reference_words)
        )


def number_recall(request: MetricRequest) -> SampleMetric:
    """Return number_recall: the share of the reference's distinct numbers that the answer holds.

    Formula: max over references with numbers of |N(answer) and N(reference)| / |N(reference)|.
    6,000 equals 6000, 50 % equals 50, 1.5 million equals $1.5M, eight equals 8, third equals 3rd,
    1 May 2024 equals 2024-05-01, 2:30 pm equals 14:30, 1 GB equals 1024 MB; "one" by itself is a 1
    in an answer and asks for none in a reference. Range [0, 1], a fraction, higher is better.
    Version 5.
    Edge cases: no reference holds a number, no reference, or unanswerable: not applicable.
    Source: this project.
    """
    from ragate.core.text.number_places import NumberSources, claimed_places  # 20 ms

    def held(answer: str, reference: str) -> float:
        claimed = {place.numeral.readings: place for place in claimed_places(reference)}.values()
        stated = NumberSources([answer])
        return sum(map(stated.state, claimed)) / len(claimed)

    return reference_metric(
        request,
        held,
        version=5,
        usable=lambda reference: bool(claimed_places(reference)),
        without_usable="no number in a reference",
    )


def reference_recall(request: MetricRequest) -> SampleMetric:
    """Return reference_recall: the share of the words that a reference adds which the answer has.

    Formula: max over references of |R and T(answer)| / |R|, R the distinct words of the reference
    that carry content and do not stand in the question; all of them where none is left. An ending
    of one or two letters does not count, and eight is 8. Long answers lose nothing. Range [0, 1], a
    fraction, higher is better. Version 2.
    Edge cases: the question repeated scores 0; no reference or unanswerable: not applicable.
    Source: recall of Adlakha et al., TACL 2024, without the words of the question.
    """
    return sample_metric(request, _words_held, exclude=without_reference, version=2)


def _words_held(sample: Sample, output: SystemOutput) -> float:
    answered = Vocabulary(map(in_digits, words(without_markers(output.answer or ""))))
    asked = Vocabulary(map(in_digits, words(sample.query)))
    usable = (reference for reference in sample.references if reference.strip())
    return max(answered.share(_added_words(reference, asked)) for reference in usable)


def _added_words(reference: str, asked: Vocabulary) -> set[str]:
    every = map(in_digits, content_words(reference) or words(reference))
    content = set(every)
    return {word for word in content if word not in asked} or content
