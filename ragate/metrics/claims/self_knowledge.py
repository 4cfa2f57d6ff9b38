"""self_knowledge: how much does the model know by itself?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return self_knowledge: the share of claims that are right and stand in no context.

    Formula: claims that no context supports and a reference states / all claims. Right today; what
    the model learnt does not change with your documents. Range [0, 1], a fraction, lower is better.
    Version 1.
    Edge cases: as for hallucination.
    Source: Ru et al., RAGChecker, NeurIPS 2024.
    """
    return judged_metric(request)
