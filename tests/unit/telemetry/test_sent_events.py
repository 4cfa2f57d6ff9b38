"""Events are sent as the SDK would send them."""

from __future__ import annotations

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ragate.support.spans import Fact
from ragate.telemetry.live_spans import SpanPlace
from ragate.telemetry.messages import events_envelope
from ragate.telemetry.sent_events import SentEvents
from tests.unit.telemetry.sdk import events_request

RESOURCE = {"service.name": "ragate"}


@pytest.mark.parametrize(
    "place", [None, SpanPlace(b"t" * 16, b"s" * 8, True), SpanPlace(b"t" * 16, b"s" * 8, False)]
)
def test_an_event_is_what_the_sdk_sends(place):
    envelope = events_envelope(RESOURCE)
    items: list[bytes] = []
    events = SentEvents(items.append, envelope)
    about: dict[str, Fact] = {"ragate.sample.id": "q1", "ragate.pass": 0}
    scores: list[dict[str, Fact]] = [
        {"score": 0.0},
        {"score": -0.0},
        {"score": 1.0},
        {"label": "unscored", "long": "é" * 999},
    ]

    common = events.about(place, about)
    for score in scores:
        events.emit("gen_ai.evaluation.result", common, score)

    request = ExportLogsServiceRequest.FromString(envelope.request(items))
    sent = request.resource_logs[0].scope_logs[0].log_records
    assert request == events_request(
        RESOURCE,
        [
            (record.event_name, place, {**about, **score}, record.time_unix_nano)
            for record, score in zip(sent, scores, strict=True)
        ],
    )
    assert all(record.time_unix_nano == record.observed_time_unix_nano > 0 for record in sent)
