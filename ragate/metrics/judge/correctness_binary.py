"""correctness_binary: is the answer right by the reference?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return correctness_binary: 1 where the answer agrees with a reference on what was asked.

    Formula: the judge's true or false. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: no reference or unanswerable: not applicable.
    Source: this project.
    """
    return judged_metric(request)
