"""judged_context_relevance: how much of what was retrieved helps?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return judged_context_relevance: the share of the contexts that help with the question.

    Formula: contexts that the judge calls relevant / all contexts. Range [0, 1], a fraction, higher
    is better. Version 1.
    Edge cases: nothing retrieved 0; chunks without texts: unscored; unanswerable: not applicable.
    Source: this project; `context_relevance` is another metric, by embeddings.
    """
    return judged_metric(request)
