"""exact_match: is the answer a reference, word for word?"""

from ragate.core.text.words import squad_normalize
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import reference_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return exact_match: 1 when answer and a reference are equal after normalisation, else 0.

    Formula: max over references of 1[norm(answer) = norm(reference)], norm without case,
    punctuation, English articles and citation markers. Range {0, 1}, a fraction, higher is better.
    Version 2.
    Edge cases: no reference or unanswerable: not applicable.
    Source: Rajpurkar et al., SQuAD, EMNLP 2016.
    """
    return reference_metric(
        request,
        lambda answer, reference: float(squad_normalize(answer) == squad_normalize(reference)),
        version=2,
    )
