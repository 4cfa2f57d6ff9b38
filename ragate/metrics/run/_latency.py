"""Percentiles of the latency over a whole run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragate.core.judging.applicability import provider_failure
from ragate.metrics._identity import unbounded_info
from ragate.models import MetricInfo, Reads, Score, SystemOutput, unscored
from ragate.protocols import MetricRequest, Pair


@dataclass(frozen=True)
class LatencyPercentile:
    """A percentile of the times that were recorded, in seconds.

    Timeouts and failures of the system count with the time they took; samples that a provider's
    failure ended are left out, since retries and not the system set their time.

    Attributes:
        missing: What is told where no output has a time.
    """

    info: MetricInfo
    share: float
    time_of: Callable[[SystemOutput], float | None]
    missing: str

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        times = sorted(
            taken
            for _, output in pairs
            if (taken := self.time_of(output)) is not None and not provider_failure(output)
        )
        if not times:
            return unscored(self.info.name, self.missing)
        return Score(metric=self.info.name, value=percentile(times, self.share))


def latency_percentile(request: MetricRequest, share: float) -> LatencyPercentile:
    """Return the aggregate for one percentile of the whole time, `share` in [0, 1]."""
    return LatencyPercentile(
        _info(request), share, lambda output: output.latency_s, "no latency was recorded"
    )


def first_token_percentile(request: MetricRequest, share: float) -> LatencyPercentile:
    """Return the same of the time to the first text of the answer."""
    missing = "no time to the first token was recorded: the answers did not come in a stream"
    return LatencyPercentile(_info(request), share, lambda output: output.first_token_s, missing)


def _info(request: MetricRequest) -> MetricInfo:
    return unbounded_info(request, version=1, reads=Reads.RUN, unit="seconds", aggregate=True)


def percentile(ascending: Sequence[float], share: float) -> float:
    """Return the value at position share * (n - 1), interpolated linearly between neighbours."""
    position = share * (len(ascending) - 1)
    below = int(position)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (position - below) * (ascending[above] - ascending[below])
