"""citation_recall: is every sentence supported by what it cites?"""

from ragate.metrics.judge._judged import JudgedMetric, judged_metric
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> JudgedMetric:
    """Return citation_recall: the share of sentences that their citations support.

    Formula: sentences whose cited contexts, taken together, support them whole / sentences with a
    word or number. Never above citation_coverage. Range [0, 1], a fraction, higher is better.
    Version 2.
    Edge cases: no marker in the text that resolves 0, also where the system reports citations apart
    from it; chunks without texts: unscored; unanswerable: not applicable.
    Source: Gao et al., ALCE, EMNLP 2023.
    """
    return judged_metric(request, version=2)
