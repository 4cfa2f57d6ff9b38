"""guideline: does the answer keep to guidelines of your own?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return guideline: 1 where the judge says that the answer passes the guidelines, else 0.

    Formula: one yes or no for all guidelines together; they are a key of the judge. Range {0, 1},
    its mean a fraction, higher is better. Version 1.
    Edge cases: unanswerable: not applicable.
    Source: LlamaIndex's GuidelineEvaluator.
    """
    return judged_metric(request)
