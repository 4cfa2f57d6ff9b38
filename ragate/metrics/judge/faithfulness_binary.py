"""faithfulness_binary: does any context support the answer?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return faithfulness_binary: 1 where a context supports any claim of the answer, else 0.

    Formula: 1[supported claims > 0]. Lenient on purpose: it sees an answer made up as a whole, not
    one wrong detail; faithfulness sees both. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: as for faithfulness.
    Source: the semantics of LlamaIndex's FaithfulnessEvaluator.
    """
    return judged_metric(request)
