"""first_hit_displacement: how far did the document move that the baseline had first?"""

from ragate.metrics._identity import unbounded_info
from ragate.metrics.churn._churn import ChurnMetric, Ranking
from ragate.models import Reads
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> ChurnMetric:
    """Return first_hit_displacement: by how many ranks the baseline's first document moved down.

    Formula: mean over samples of the rank of that document minus 1. Range [0, unbounded), ranks,
    lower is better, over the whole run. Version 1.
    Edge cases: no longer retrieved, or the system failed: it stands behind everything that was
    retrieved on the longer side, so it moved by as many ranks as that holds; the baseline retrieved
    nothing: left out; all others as for overlap@k, and while a baseline is recorded 0.
    Source: this project.
    """
    info = unbounded_info(request, version=1, reads=Reads.RETRIEVAL, unit="ranks", aggregate=True)
    return ChurnMetric(info, request.earlier, _displacement)


def _displacement(before: Ranking, now: Ranking) -> float | None:
    if not before:
        return None
    first = before[0]
    return float(now.index(first) if first in now else max(len(before), len(now)))
