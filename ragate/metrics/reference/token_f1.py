"""token_f1: word overlap of answer and reference."""

from collections import Counter

from ragate.core.text.words import squad_tokens
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import harmonic_mean, reference_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return token_f1: the harmonic mean of token precision and token recall.

    Formula: max over references of 2 c / (|a| + |r|), c the tokens in common counted with repeats,
    after SQuAD's normalisation. Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: order of words does not count; no reference or unanswerable: not applicable.
    Source: Rajpurkar et al., SQuAD, EMNLP 2016.
    """
    return reference_metric(request, _f1, version=2)


def _f1(answer: str, reference: str) -> float:
    answer_tokens, reference_tokens = squad_tokens(answer), squad_tokens(reference)
    common = (Counter(answer_tokens) & Counter(reference_tokens)).total()
    return harmonic_mean(common / len(answer_tokens), common / len(reference_tokens))
