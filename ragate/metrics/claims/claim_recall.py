"""claim_recall: how much of the reference does the answer say?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return claim_recall: the share of the reference's claims that the answer states.

    Formula: claims of the reference that the answer states / all its claims; of several references
    the best one counts. Every sentence of a reference must come back, so that leaving a claim out
    raises no score. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: references that claim nothing 0; no reference or unanswerable: not
    applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (recall).
    """
    return judged_metric(request)
