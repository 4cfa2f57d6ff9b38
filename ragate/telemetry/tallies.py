"""What a run counts, added up until it is sent."""

import time
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AGGREGATION_TEMPORALITY_CUMULATIVE,
    AGGREGATION_TEMPORALITY_DELTA,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
)

from ragate.support.spans import Fact
from ragate.telemetry.messages import pairs
from ragate.telemetry.names import INSTRUMENTS, Instrument

# Where OpenTelemetry's buckets end, unless somebody says otherwise.
_BOUNDS = (
    0.0,
    5.0,
    10.0,
    25.0,
    50.0,
    75.0,
    100.0,
    250.0,
    500.0,
    750.0,
    1e3,
    2.5e3,
    5e3,
    7.5e3,
    1e4,
)
_GAUGES = frozenset(each.name for each in INSTRUMENTS if each.kind == "gauge")
_Attributes = tuple[tuple[str, Fact], ...]


@dataclass
class _Tally:
    """What was counted of one metric with the same attributes.

    Attributes:
        total: The last value, of a gauge.
    """

    count: int = 0
    total: float = 0
    least: float = float("inf")
    most: float = float("-inf")
    buckets: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))


class Tallies:
    """Adds up, and tells it as the protocol's metrics.

    Args:
        cumulative: What was told is told again with what came since; else it begins at 0. A
            gauge's last value is told again either way.
    """

    def __init__(self, *, cumulative: bool) -> None:
        self._cumulative = cumulative
        self._temporality = (
            AGGREGATION_TEMPORALITY_CUMULATIVE if cumulative else AGGREGATION_TEMPORALITY_DELTA
        )
        self._lock = Lock()
        self._since = time.time_ns()
        self._tallies: dict[tuple[str, _Attributes], _Tally] = {}

    def record(self, what: Instrument, value: float, attributes: Mapping[str, Fact]) -> None:
        """Count one value of a metric."""
        key = (what.name, tuple(attributes.items()))
        with self._lock:
            tally = self._tallies.get(key)
            if tally is None:
                tally = self._tallies[key] = _Tally()
            tally.count += 1
            tally.total = value if what.kind == "gauge" else tally.total + value
            if what.kind == "histogram":
                tally.least, tally.most = min(tally.least, value), max(tally.most, value)
                tally.buckets[bisect_left(_BOUNDS, value)] += 1

    def metrics(self) -> list[Metric]:
        """Return what was counted since the last call, or since the beginning."""
        with self._lock:
            now, since = time.time_ns(), self._since
            told = [self._metric(each, since, now) for each in INSTRUMENTS]
            if not self._cumulative:
                self._since = now
                self._tallies = {
                    key: tally for key, tally in self._tallies.items() if key[0] in _GAUGES
                }
        return [metric for metric in told if metric is not None]

    def _metric(self, what: Instrument, since: int, now: int) -> Metric | None:
        found = [
            (attributes, tally)
            for (name, attributes), tally in self._tallies.items()
            if name == what.name
        ]
        if not found:
            return None
        metric = Metric(name=what.name, description=what.says, unit=what.unit)
        if what.kind == "histogram":
            metric.histogram.aggregation_temporality = self._temporality
            metric.histogram.data_points.extend(_spread(*each, since, now) for each in found)
        elif what.kind == "gauge":
            metric.gauge.data_points.extend(_number(*each, 0, now) for each in found)
        else:
            metric.sum.aggregation_temporality = self._temporality
            metric.sum.is_monotonic = True
            metric.sum.data_points.extend(_number(*each, since, now) for each in found)
        return metric


def _number(attributes: _Attributes, tally: _Tally, since: int, now: int) -> NumberDataPoint:
    point = NumberDataPoint(
        attributes=pairs(dict(attributes)), start_time_unix_nano=since, time_unix_nano=now
    )
    if isinstance(tally.total, int):
        point.as_int = tally.total
    else:
        point.as_double = tally.total
    return point


def _spread(attributes: _Attributes, tally: _Tally, since: int, now: int) -> HistogramDataPoint:
    return HistogramDataPoint(
        attributes=pairs(dict(attributes)),
        start_time_unix_nano=since,
        time_unix_nano=now,
        count=tally.count,
        sum=tally.total,
        min=tally.least,
        max=tally.most,
        bucket_counts=tally.buckets,
        explicit_bounds=_BOUNDS,
    )
