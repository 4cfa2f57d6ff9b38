"""OpenTelemetry's SDK as an oracle: what it would send for the same spans, events and counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from ragate.telemetry.live_spans import CLIENT, LiveSpan, SpanPlace
from ragate.telemetry.names import INSTRUMENTS, SCOPE
from ragate.version import __version__

_SCOPE = InstrumentationScope(SCOPE, __version__)


def spans_request(resource: Mapping[str, str], spans: list[tuple[LiveSpan, int]]) -> Any:
    """Return the SDK's request for spans and the times at which they ended."""
    return encode_spans([_readable(Resource(dict(resource)), *each) for each in spans])


def events_request(
    resource: Mapping[str, str],
    events: list[tuple[str, SpanPlace | None, Mapping[str, Any], int]],
) -> Any:
    """Return the SDK's request for events: names, places, attributes, times."""
    held = Resource(dict(resource))
    records = []
    for name, place, attributes, when in events:
        record = LogRecord(
            timestamp=when,
            observed_timestamp=when,
            context=None
            if place is None
            else set_span_in_context(NonRecordingSpan(_context(place))),
            severity_number=SeverityNumber.INFO,
            attributes=dict(attributes),
            event_name=name,
        )
        records.append(ReadableLogRecord(record, held, _SCOPE))
    return encode_logs(records)


class SdkMeter:
    """The SDK's instruments and what it would send for them."""

    def __init__(self, resource: Mapping[str, str], preferred: dict[type, Any]) -> None:
        self._reader = InMemoryMetricReader(preferred_temporality=preferred)
        provider = MeterProvider(
            [self._reader],
            resource=Resource(dict(resource)),
            shutdown_on_exit=False,
            exemplar_filter=AlwaysOffExemplarFilter(),
        )
        meter = provider.get_meter(SCOPE, __version__)
        make = {
            "counter": lambda *of: meter.create_counter(*of).add,
            "gauge": lambda *of: meter.create_gauge(*of).set,
            "histogram": lambda *of: meter.create_histogram(*of).record,
        }
        self.record = {
            each.name: make[each.kind](each.name, each.unit, each.says) for each in INSTRUMENTS
        }

    def request(self) -> Any:
        """Return the request for what was recorded since the last one."""
        found = self._reader.get_metrics_data()
        assert found is not None
        return encode_metrics(found)


def _readable(resource: Resource, span: LiveSpan, ended: int) -> ReadableSpan:
    return ReadableSpan(
        span.name,
        _context(span.place),
        None if span.parent is None else _context(span.parent),
        resource,
        span.attributes,
        kind=SpanKind.CLIENT if span.kind == CLIENT else SpanKind.INTERNAL,
        status=Status(StatusCode.ERROR if span.failed else StatusCode.UNSET),
        start_time=span.started,
        end_time=ended,
        instrumentation_scope=_SCOPE,
    )


def _context(place: SpanPlace) -> SpanContext:
    return SpanContext(
        int.from_bytes(place.trace),
        int.from_bytes(place.span),
        is_remote=False,
        trace_flags=TraceFlags(int(place.sampled)),
    )
