"""correctness: how near is the answer to the reference?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return correctness: the judge's grade of the answer against the references.

    Formula: a grade from 1 (wrong, or no answer) to 5 (says all the reference says), in halves,
    against the reference that suits the answer best. Range [1, 5], a grade, higher is better; 4 is
    the usual pass mark (`pass_at`). Version 1.
    Edge cases: no reference or unanswerable: not applicable.
    Source: the scale of LlamaIndex's CorrectnessEvaluator.
    """
    return judged_metric(request)
