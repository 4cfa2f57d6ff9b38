"""claim_f1: how much of answer and reference is common to both?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return claim_f1: the harmonic mean of claim_precision and claim_recall.

    Formula: 2 P R / (P + R). Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: as for both.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (F1).
    """
    return judged_metric(request)
