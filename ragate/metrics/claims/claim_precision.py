"""claim_precision: how much of what the answer claims is right?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return claim_precision: the share of the answer's claims that a reference states.

    Formula: claims that a reference states, or that follow from one at once / all claims. What the
    references do not mention counts as not right: they have to be complete. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: an answer that claims nothing 0; no reference or unanswerable: not applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (precision).
    """
    return judged_metric(request)
