"""judged_refusal: does the answer refuse where it should, and only there?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return judged_refusal: 1 where an unanswerable question is refused, or another one answered.

    Formula: 1[the judge sees a refusal = the question is unanswerable]. Unlike refusal_recall and
    false_refusal it needs no list of phrases. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: an empty answer is a failed one, 0.
    Source: this project.
    """
    return judged_metric(request)
