"""relevancy: does the answer address the question?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return relevancy: 1 where the answer addresses what was asked, else 0.

    Formula: the judge's yes or no. A wrong answer to the right question is relevant, a true one to
    another question is not, nor is a refusal. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: unanswerable: not applicable.
    Source: the semantics of LlamaIndex's RelevancyEvaluator.
    """
    return judged_metric(request)
