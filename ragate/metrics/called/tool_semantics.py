"""tool_semantics: do the calls ask for what the question asks?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return tool_semantics: 1 where the judge says that the calls mean what the question asks.

    Formula: the judge's yes or no on question, right calls and the calls made. Range {0, 1}, its
    mean a fraction, higher is better. Version 1.
    Edge cases: no call is right: not applicable; calls that are the right ones by tool_logic: 1
    without a question; no call made: 0; calls not reported: unscored.
    Source: Patil et al., Gorilla, NeurIPS 2024, by a judge in place of people.
    """
    return judged_metric(request)
