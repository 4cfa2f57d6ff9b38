"""answer_relevancy: does the answer keep to the question?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return answer_relevancy: the judge's points for subject and focus of the answer.

    Formula: 0, 1 or 2 points / 2; contexts and references are not looked at. Range {0, 0.5, 1}, its
    mean a fraction, higher is better. Version 1.
    Edge cases: unanswerable: not applicable.
    Source: LlamaIndex's AnswerRelevancyEvaluator.
    """
    return judged_metric(request)
