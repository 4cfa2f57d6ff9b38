"""first_token_p95: the time that 95 % of the answers begin within."""

from ragate.metrics.run._latency import LatencyPercentile, first_token_percentile
from ragate.protocols import MetricRequest


def create(request: MetricRequest) -> LatencyPercentile:
    """Return first_token_p95: the 95th percentile of the time until an answer begins.

    Formula: the value at position 0.95 (n - 1) of the sorted times from the request to the first
    text of the answer, interpolated linearly. Range [0, unbounded), seconds, lower is better, over
    the whole run. Version 1.
    Edge cases: answers that did not come in a stream, and failures before a first text, are left
    out; no time recorded: unscored.
    Source: Hyndman and Fan, The American Statistician 1996, type 7.
    """
    return first_token_percentile(request, 0.95)
