"""rouge_l: the longest run of words, with gaps, that answer and reference share."""

from ragate.core.text.segmentation import units
from ragate.core.text.words import lcs_length
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import harmonic_mean, reference_metric
from ragate.protocols import MetricRequest

MAX_TOKENS = 10_000


def create(request: MetricRequest) -> SampleMetric:
    """Return rouge_l: F1 of the longest common subsequence of words.

    Formula: max over references of F1(l / |a|, l / |r|), l the length of the longest common
    subsequence; lower-cased words, no stemming, precision and recall weighted equally. Range
    [0, 1], a fraction, higher is better. Version 2.
    Edge cases: a side without any word scores 0; only the first 10,000 words of each side count; no
    reference or unanswerable: not applicable.
    Source: Lin, ROUGE: a package for automatic evaluation of summaries, 2004.
    """
    return reference_metric(request, _rouge_l, version=2)


def _rouge_l(answer: str, reference: str) -> float:
    answer_tokens, reference_tokens = units(answer)[:MAX_TOKENS], units(reference)[:MAX_TOKENS]
    if not answer_tokens or not reference_tokens:
        return 0.0
    common = lcs_length(reference_tokens, answer_tokens)
    return harmonic_mean(common / len(answer_tokens), common / len(reference_tokens))
