"""context_relevancy: do the contexts fit the question, and would they do for an answer?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return context_relevancy: the judge's points for the contexts as a whole.

    Formula: 0 to 4 points (2 for the subject, 2 for sufficiency; parts of points count) / 4. Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; chunks without texts: unscored; unanswerable: not applicable.
    Source: LlamaIndex's ContextRelevancyEvaluator; `judged_context_relevance` counts contexts.
    """
    return judged_metric(request)
