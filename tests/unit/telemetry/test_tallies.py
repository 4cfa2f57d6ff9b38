"""Counts add up to what the SDK's instruments make of the same values."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.sdk.metrics import Counter, Histogram
from opentelemetry.sdk.metrics.export import AggregationTemporality

from ragate.telemetry import names
from ragate.telemetry.collector.delivery import Delivery
from ragate.telemetry.sent_metrics import SentMetrics
from ragate.telemetry.tallies import Tallies
from tests.unit.telemetry.sdk import SdkMeter

RESOURCE = {"service.name": "ragate"}
VALUES: list[tuple[names.Instrument, float, dict[str, Any]]] = [
    (names.SAMPLES, 3, {names.STATE: "measured"}),
    (names.SAMPLES, 0, {names.STATE: "failed"}),
    (names.SAMPLES, 2, {names.STATE: "measured"}),
    (names.COST, 0.25, {names.GATE: "docs"}),
    (names.COST, 0.5, {names.GATE: "docs"}),
    (names.JUDGING, 7, {}),
    (names.JUDGING, 4, {}),
    (names.SCORES, 0.5, {names.METRIC: "recall@5", names.SIDE: "baseline"}),
    *((names.TOKENS, float(each), {names.MODEL: "a"}) for each in (0, 1, 5, 5.1, 9999, 10000)),
    *((names.CALL_DURATION, each / 7, {names.MODEL: "b"}) for each in range(9)),
    (names.CALL_DURATION, 1e9, {names.MODEL: "b"}),
    (names.CALLS, 1, {names.REUSED: True}),
    (names.CALLS, 5, {names.REUSED: False}),
]


class Sent:
    """Takes requests."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def post(self, body: bytes, *, until: float) -> bool:
        self.requests.append(ExportMetricsServiceRequest.FromString(body))
        return True


def timeless(request: Any) -> dict[str, Any]:
    """Return the metrics of a request by name, without times and order."""
    found = {}
    (of_resource,) = request.resource_metrics
    (of_scope,) = of_resource.scope_metrics
    for metric in of_scope.metrics:
        points = getattr(metric, metric.WhichOneof("data")).data_points
        for point in points:
            assert point.time_unix_nano > 0
            point.ClearField("time_unix_nano")
            point.ClearField("start_time_unix_nano")
        points.sort(key=lambda point: point.SerializeToString(deterministic=True))
        found[metric.name] = metric
    return {"resource": of_resource.resource, "scope": of_scope.scope, **found}


@pytest.mark.parametrize("preference", ["", "delta", "lowmemory", "cumulative", "?"])
def test_two_reports_are_what_the_sdk_sends(monkeypatch, preference):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", preference)
    kind = (
        AggregationTemporality.DELTA
        if preference in {"", "delta", "lowmemory"}
        else AggregationTemporality.CUMULATIVE
    )
    sdk = SdkMeter(RESOURCE, {Counter: kind, Histogram: kind})
    sent = Sent()
    ours = SentMetrics(Delivery(sent), RESOURCE)

    for values in (VALUES, VALUES[8:12]):  # of the gauges nothing new
        for what, value, attributes in values:
            ours.tallies.record(what, value, attributes)
            sdk.record[what.name](value, attributes)
        ours.due = 0.0
        ours.send(everything=True)
        assert timeless(sent.requests[-1]) == timeless(sdk.request())


def test_each_report_begins_where_the_last_one_ended():
    tallies = Tallies(cumulative=False)
    points = []
    for _ in range(2):
        tallies.record(names.COST, 1.0, {})
        (metric,) = tallies.metrics()
        points += metric.sum.data_points

    assert points[1].start_time_unix_nano == points[0].time_unix_nano
    assert points[0].start_time_unix_nano > 0


def test_where_nothing_was_counted_nothing_is_sent():
    sent = Sent()
    ours = SentMetrics(Delivery(sent), RESOURCE)
    ours.due = 0.0

    ours.send(everything=True)

    assert not sent.requests


def test_counts_are_sent_when_they_are_due():
    sent = Sent()
    ours = SentMetrics(Delivery(sent), RESOURCE)
    ours.tallies.record(names.COST, 1.0, {})

    ours.send(everything=True)

    assert not sent.requests
