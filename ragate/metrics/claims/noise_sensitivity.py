"""noise_sensitivity: how much does the answer take over that is beside the point or wrong?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return noise_sensitivity: the share of claims that a context supports and no reference
    states.

    Formula: claims that a context supports and no reference states / all claims; relevant and
    irrelevant contexts together. A detail that is true and in no reference counts, too. Range [0,
    1], a fraction, lower is better. Version 1.
    Edge cases: as for hallucination.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (both kinds of noise together); Es et al., RAGAS.
    """
    return judged_metric(request)
