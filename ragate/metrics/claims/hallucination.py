"""hallucination: how much of the answer is made up?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return hallucination: the share of claims that neither contexts nor references state.

    Formula: claims that no context supports and no reference states / all claims. With
    self_knowledge it adds up to 1 - faithfulness. Range [0, 1], a fraction, lower is better.
    Version 1.
    Edge cases: nothing retrieved, or an answer that claims nothing 1; chunks without texts:
    unscored; no reference or unanswerable: not applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024.
    """
    return judged_metric(request)
