"""Percentiles of the latency over a whole run."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.applicability import provider_failure
from ragate.metrics._identity import unbounded_info
from ragate.models import MetricInfo, Reads, Score, unscored
from ragate.protocols import MetricRequest, Pair


@dataclass(frozen=True)
class LatencyPercentile:
    """A percentile of the latencies that were recorded, in seconds.

    Timeouts and failures of the system count with the time they took; samples that a provider's
    failure ended are left out, since retries and not the system set their time.
    """

    info: MetricInfo
    share: float

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        times = sorted(
            output.latency_s
            for _, output in pairs
            if output.latency_s is not None and not provider_failure(output)
        )
        if not times:
            return unscored(self.info.name, "no latency was recorded")
        return Score(metric=self.info.name, value=percentile(times, self.share))


def latency_percentile(request: MetricRequest, share: float) -> LatencyPercentile:
    """Return the aggregate for one percentile, `share` in [0, 1]."""
    info = unbounded_info(request, version=1, reads=Reads.RUN, unit="seconds", aggregate=True)
    return LatencyPercentile(info=info, share=share)


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return the value at position share * (n - 1), interpolated linearly between neighbours."""
    position = share * (len(ascending) - 1)
    below = int(position)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (position - below) * (ascending[above] - ascending[below])
