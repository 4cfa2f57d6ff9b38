"""context_utilisation: how much of what was found does the answer use?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return context_utilisation: how much of what was found of a reference the answer states.

    Formula: claims of the reference that a context and the answer state / those that a context
    states; of several references the best one counts. Retrieval that finds less does not lower it.
    Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: the references claim nothing, the contexts state nothing of them, or nothing
    retrieved 0; chunks without texts: unscored; no reference or unanswerable: not applicable.
    Source: Ru et al., RAGChecker, NeurIPS 2024 (context utilization).
    """
    return judged_metric(request)
