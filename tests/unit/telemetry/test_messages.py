"""Encoded parts, one after the other, are the message that they are parts of."""

from __future__ import annotations

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragate.telemetry import messages
from ragate.telemetry.messages import AttributeParts, pairs, spans_envelope


def decoded(parts: bytes) -> list[str]:
    return [each.key for each in Span.FromString(parts).attributes]


@pytest.mark.parametrize("length", [0, 1, 127, 128, 16_383, 16_384, 3_000_000])
def test_items_of_any_length_are_read_back(length):
    envelope = spans_envelope({"service.name": "ragate"})
    span = Span(name="x" * length, flags=256)

    request = envelope.request([envelope.item([span.SerializeToString()])] * 3)

    (of_resource,) = ExportTraceServiceRequest.FromString(request).resource_spans
    assert list(of_resource.scope_spans[0].spans) == [span] * 3
    assert of_resource.scope_spans[0].scope.name == "ragate"
    assert of_resource.resource.attributes[0].value.string_value == "ragate"


def test_what_has_no_place_in_the_protocol_is_left_out():
    endless: list[object] = []
    endless.append(endless)
    odd = {
        "ok": 1,
        "object": object(),
        "large": 2**63,
        "half": "\ud800",
        "half \ud800": 1,
        "endless": endless,
        "end": "x",
    }

    assert decoded(AttributeParts(Span).of(odd)) == ["ok", "end"]
    assert [each.key for each in pairs({"a": "b", "half": "\ud800", "c": "d"})] == ["a", "c"]


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(messages, "_KEPT", 5)
    parts = AttributeParts(Span)

    for each in range(50):
        assert decoded(parts.of({f"a{each}": each, "long": "x" * 9999})) == [f"a{each}", "long"]
        assert len(parts._known) <= 5
