"""latency_p95: the time that 95 % of the samples stay within."""

from ragate.metrics.run._latency import LatencyPercentile, latency_percentile
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> LatencyPercentile:
    """Return latency_p95: the 95th percentile of the wall time of a sample.

    Formula: the value at position 0.95 (n - 1) of the sorted times, interpolated linearly. Range
    [0, unbounded), seconds, lower is better, over the whole run. Version 1.
    Edge cases: failures of the system count with their time, a provider's do not; no time
    recorded: unscored.
    Source: Hyndman and Fan, The American Statistician 1996, type 7.
    """
    return latency_percentile(request, 0.95)
