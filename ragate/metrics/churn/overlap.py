"""overlap@k: how many of the first k documents are those that the baseline had?"""

from ragate.metrics._identity import metric_info, required_cut_off
from ragate.metrics.churn._churn import ChurnMetric, Ranking
from ragate.models import Reads
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> ChurnMetric:
    """Return overlap@k: how alike the first k documents are to the baseline's, whatever the order.

    Formula: mean over samples of |A and B| / |A or B|, A and B the first k documents of now and of
    the baseline (Jaccard). Range [0, 1], a fraction, higher is better, over the whole run.
    Version 1.
    Edge cases: nothing retrieved on one side, or the system failed now: 0. Left out: nothing
    retrieved on either side, a sample that the baseline does not hold or failed on. A provider's
    failure, or no baseline: unscored; while a baseline is recorded 1.
    Source: Jaccard's index of sets.
    """
    k = required_cut_off(request)
    info = metric_info(request, version=1, reads=Reads.RETRIEVAL).amended(aggregate=True)

    def overlap(before: Ranking, now: Ranking) -> float:
        left, right = set(before[:k]), set(now[:k])
        return len(left & right) / len(left | right)

    return ChurnMetric(info, request.earlier, overlap)
