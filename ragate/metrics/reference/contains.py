"""contains: does the answer hold a reference, word for word?"""

from ragate.core.text.words import squad_normalize
from ragate.metrics._sample_metric import SampleMetric
from ragate.metrics.reference._reference import reference_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> SampleMetric:
    """Return contains: 1 when a reference stands in the answer as a run of whole words, else 0.

    Formula: max over references of 1[norm(reference) in norm(answer)], norm as in exact_match.
    Meant for short references; it cannot see what else the answer claims. Range {0, 1}, a
    fraction, higher is better. Version 2.
    Edge cases: no reference or unanswerable: not applicable.
    Source: Liu et al., Lost in the middle, TACL 2024 (substring accuracy).
    """
    return reference_metric(request, _contains, version=2)


def _contains(answer: str, reference: str) -> float:
    return float(f" {squad_normalize(reference)} " in f" {squad_normalize(answer)} ")
