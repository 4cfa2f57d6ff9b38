"""rbo: how alike is the ranking to the baseline's, the first ranks weighing most?"""

from pydantic import Field

from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics.churn._churn import ChurnMetric, Ranking
from ragate.models import Frozen, Reads
from ragate.protocols import MetricRequest


class Settings(Frozen):
    """Keys of rbo.

    Attributes:
        p: How much the next rank weighs beside the one before it: near 0 the first alone counts.
    """

    p: float = Field(default=0.9, gt=0, lt=1)


def create(request: MetricRequest) -> ChurnMetric:
    """Return rbo: rank-biased overlap with the baseline's ranking, extrapolated.

    Formula: mean over samples of (1 - p) sum over depths d of p^(d-1) A_d, A_d the share of the
    first d documents that both rankings have; beyond the end of a ranking it is taken to go on as
    it did. Range [0, 1], a fraction, higher is better, over the whole run. Version 1.
    Edge cases: a ranking that is only cut short is 1, since what is missing is taken to agree;
    all others as for overlap@k.
    Source: RBO_EXT (equation 32) of Webber, Moffat and Zobel, A similarity measure for indefinite
    rankings, ACM Transactions on Information Systems 28(4), 2010.
    """
    no_cut_off(request)
    settings = own_settings(request, Settings)
    info = metric_info(request, version=1, reads=Reads.RETRIEVAL, settings=settings)

    def compared(before: Ranking, now: Ranking) -> float:
        return extrapolated_rbo(before, now, settings.p)

    return ChurnMetric(info.amended(aggregate=True), request.earlier, compared)


def extrapolated_rbo(one: Ranking, other: Ranking, p: float) -> float:
    """Return RBO_EXT of two rankings without repeats, in [0, 1]; 0 where one is empty.

    Args:
        p: In (0, 1).
    """
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0
    ends, depth = len(short), len(long)
    overlaps = _overlaps(short, long)
    at_end, at_depth = overlaps[ends - 1], overlaps[-1]
    seen = sum(overlap / d * p**d for d, overlap in enumerate(overlaps, start=1))
    taken = sum(at_end * (d - ends) / (ends * d) * p**d for d in range(ends + 1, depth + 1))
    rest = ((at_depth - at_end) / depth + at_end / ends) * p**depth
    return min(1.0, (1 - p) / p * (seen + taken) + rest)


def _overlaps(short: Ranking, long: Ranking) -> list[int]:
    """Return how many documents both have at every depth of the longer one."""
    overlaps: list[int] = []
    left: set[str] = set()
    right: set[str] = set()
    common = 0
    for d, doc_id in enumerate(long):
        right.add(doc_id)
        common += doc_id in left
        if d < len(short):
            left.add(short[d])
            common += short[d] in right
        overlaps.append(common)
    return overlaps
