"""Answers against a reference."""

from collections import Counter
from collections.abc import Callable

from ragate.core.judging.applicability import without_reference
from ragate.core.text.citations import with_markers
from ragate.core.text.segmentation import units
from ragate.core.text.words import lcs_length, squad_normalize, squad_tokens, without_markers
from ragate.metrics._claims import documents_of
from ragate.metrics._sample_metric import SampleMetric, sample_metric
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest


def reference_metric(
    request: MetricRequest,
    similarity: Callable[[str, str], float],
    *,
    version: int = 1,
    state: dict[str, float] | None = None,
    usable: Callable[[str], object] = str.strip,
    without_usable: str = "no usable reference",
) -> SampleMetric:
    """Return a metric that compares an answer with each reference and keeps the best value.

    Citation markers are taken out of the answer first, so that citing costs nothing. Questions
    without a usable reference and unanswerable ones are not applicable.

    Args:
        similarity: From (answer, reference) to a fraction.
        usable: Which references the metric can speak about; those that say anything.
        without_usable: The reason where a sample has references and none is usable.
    """

    def best(sample: Sample, output: SystemOutput) -> float:
        answer = without_markers(with_markers(output.answer or "", documents_of(output)))
        return max(similarity(answer, text) for text in sample.references if usable(text))

    def exclude(sample: Sample) -> str:
        reason = without_reference(sample)
        return reason or ("" if any(map(usable, sample.references)) else without_usable)

    return sample_metric(request, best, exclude=exclude, version=version, state=state)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def exact_match(request: MetricRequest) -> SampleMetric:
    """Return exact_match: 1 when answer and a reference are equal after normalisation, else 0.

    Formula: max over references of 1[norm(answer) = norm(reference)], norm without case,
    punctuation, English articles and citation markers. Range {0, 1}, a fraction, higher is better.
    Version 3.
    Edge cases: no reference or unanswerable: not applicable.
    Source: Rajpurkar et al., SQuAD, EMNLP 2016.
    """
    return reference_metric(
        request,
        lambda answer, reference: float(squad_normalize(answer) == squad_normalize(reference)),
        version=3,
    )


def contains(request: MetricRequest) -> SampleMetric:
    """Return contains: 1 when a reference stands in the answer as a run of whole words, else 0.

    Formula: max over references of 1[norm(reference) in norm(answer)], norm as in exact_match.
    Meant for short references; it cannot see what else the answer claims. Range {0, 1}, a
    fraction, higher is better. Version 3.
    Edge cases: no reference or unanswerable: not applicable.
    Source: Liu et al., Lost in the middle, TACL 2024 (substring accuracy).
    """
    return reference_metric(request, _contains, version=3)


def _contains(answer: str, reference: str) -> float:
    return float(f" {squad_normalize(reference)} " in f" {squad_normalize(answer)} ")


def token_f1(request: MetricRequest) -> SampleMetric:
    """Return token_f1: the words that answer and reference share, as F1 of precision and recall.

    Formula: max over references of 2 c / (|a| + |r|), c the tokens in common counted with repeats,
    after SQuAD's normalisation. Range [0, 1], a fraction, higher is better. Version 3.
    Edge cases: order of words does not count; no reference or unanswerable: not applicable.
    Source: Rajpurkar et al., SQuAD, EMNLP 2016.
    """
    return reference_metric(request, _token_f1, version=3)


def _token_f1(answer: str, reference: str) -> float:
    answer_tokens, reference_tokens = squad_tokens(answer), squad_tokens(reference)
    common = (Counter(answer_tokens) & Counter(reference_tokens)).total()
    return harmonic_mean(common / len(answer_tokens), common / len(reference_tokens))


MAX_TOKENS = 10_000


def rouge_l(request: MetricRequest) -> SampleMetric:
    """Return rouge_l: F1 of the longest common subsequence of words.

    Formula: max over references of F1(l / |a|, l / |r|), l the length of the longest common
    subsequence; lower-cased words, no stemming, precision and recall weighted equally. Range
    [0, 1], a fraction, higher is better. Version 3.
    Edge cases: a side without any word scores 0; only the first 10,000 words of each side count; no
    reference or unanswerable: not applicable.
    Source: Lin, ROUGE: a package for automatic evaluation of summaries, 2004.
    """
    return reference_metric(request, _rouge_l, version=3)


def _rouge_l(answer: str, reference: str) -> float:
    answer_tokens, reference_tokens = units(answer)[:MAX_TOKENS], units(reference)[:MAX_TOKENS]
    if not answer_tokens or not reference_tokens:
        return 0.0
    common = lcs_length(reference_tokens, answer_tokens)
    return harmonic_mean(common / len(answer_tokens), common / len(reference_tokens))


def char_3gram_recall(request: MetricRequest) -> SampleMetric:
    """Return char_3gram_recall: the share of the reference's character 3-grams in the answer.

    Formula: max over references of |G(answer) and G(reference)| / |G(reference)|, G the distinct
    runs of three characters of the normalised text, spaces included. Kind to inflection,
    transliteration and long answers. Range [0, 1], a fraction, higher is better. Version 3.
    Edge cases: a reference of fewer than three characters is one gram; no reference or
    unanswerable: not applicable.
    Source: Chirkova et al., Retrieval-augmented generation in multilingual settings, 2024.
    """
    return reference_metric(request, _gram_recall, version=3)


def _gram_recall(answer: str, reference: str) -> float:
    normalised = squad_normalize(reference)
    size = min(3, len(normalised))
    grams = _grams(normalised, size)
    return len(grams & _grams(squad_normalize(answer), size)) / len(grams)


def _grams(text: str, size: int) -> set[str]:
    return {text[start : start + size] for start in range(len(text) - size + 1)}
