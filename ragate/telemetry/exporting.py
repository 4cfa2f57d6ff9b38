"""OpenTelemetry's SDK, set up for one run and shut down with it."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from typing import Any

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExportResult
from opentelemetry.sdk.metrics import (
    AlwaysOffExemplarFilter,
    Counter,
    Histogram,
    MeterProvider,
)
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    MetricExportResult,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from ragate.support.spans import Fact, listening
from ragate.telemetry.collector_session import collector_session
from ragate.telemetry.listener import TelemetryListener
from ragate.telemetry.live_spans import LiveSpans
from ragate.telemetry.names import SCOPE
from ragate.telemetry.resource import metrics_attributes, resource_attributes
from ragate.telemetry.run_counts import RunCounts
from ragate.telemetry.sent_resource import sent_resource
from ragate.telemetry.watched_exporter import WatchedExporter
from ragate.version import __version__

TIMEOUT_S = 5.0  # of one request, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise
END_S = 10.0  # of what is still to be sent when the run is over, for each of the three signals
QUEUE = 65_536  # spans and events that wait to be sent
_AT_ONCE = 4096
_METRICS_EVERY_MS = 15_000
_TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"


class _Signals:
    """What sends spans, events and metrics, each by its own exporter.

    Args:
        texts: Events may be long, so that fewer of them are sent together.
    """

    def __init__(self, environment: Mapping[str, str], *, texts: bool) -> None:
        timeout = None if os.environ.get("OTEL_EXPORTER_OTLP_TIMEOUT") else TIMEOUT_S
        how: dict[str, Any] = {"timeout": timeout, "session": collector_session()}
        metrics = OTLPMetricExporter(preferred_temporality=_temporality(), **how)
        spans = WatchedExporter(OTLPSpanExporter(**how), SpanExportResult.FAILURE)
        events = WatchedExporter(OTLPLogExporter(**how), LogRecordExportResult.FAILURE)
        counts = WatchedExporter(metrics, MetricExportResult.FAILURE)
        self.exporters = (spans, events, counts)
        self._resource = sent_resource(resource_attributes(environment))
        self._scope = InstrumentationScope(SCOPE, __version__)
        self._spans = BatchSpanProcessor(
            _any(spans), max_queue_size=QUEUE, max_export_batch_size=_batch("OTEL_BSP")
        )
        self._events = BatchLogRecordProcessor(
            _any(events),
            max_queue_size=QUEUE,
            max_export_batch_size=None if texts else _batch("OTEL_BLRP"),
        )
        self.meters = MeterProvider(
            [PeriodicExportingMetricReader(_any(counts), _METRICS_EVERY_MS)],
            resource=sent_resource(metrics_attributes(environment)),
            shutdown_on_exit=False,
            exemplar_filter=AlwaysOffExemplarFilter(),
        )
        sampler = TracerProvider(resource=self._resource, shutdown_on_exit=False).sampler
        self.spans = LiveSpans(self._spans, self._resource, self._scope, sampler)
        self._is_stuck = False

    def emit(self, name: str, attributes: Mapping[str, Fact], context: Context | None) -> None:
        """Send an event."""
        now = time.time_ns()
        record = LogRecord(
            timestamp=now,
            observed_timestamp=now,
            context=context,
            severity_number=SeverityNumber.INFO,
            attributes=dict(attributes),
            event_name=name,
        )
        # The SDK's logger would look through every attribute once more.
        self._events.on_emit(_any(ReadableLogRecord(record, self._resource, self._scope)))

    def flush(self) -> None:
        """Send the events that wait; where that takes too long, never again."""
        self._is_stuck = self._is_stuck or not _ends(self._events.force_flush)

    def close(self) -> int:
        """Send what is left, within `END_S`; returns the batches that were not delivered."""
        for exporter in self.exporters:
            exporter.until = time.monotonic() + END_S
        ended = _ends(self._shut_down)
        return sum(exporter.unsent for exporter in self.exporters) + (not ended)

    def _shut_down(self) -> None:
        parts: list[Any] = [self._spans, self._events, self.meters]
        for part in parts:
            part.shutdown()


@contextmanager
def exporting(
    environment: Mapping[str, str], *, texts: bool, say: Callable[[str], None]
) -> Iterator[None]:
    """Send what runs inside, until the end, and then what is left within `END_S`.

    Where to is what the SDK reads from the process's ``OTEL_EXPORTER_OTLP_*``.

    Args:
        environment: The runner's variables.
        texts: Answers and reasons are sent as well, where the policy publishes them.
    """
    _quiet()
    signals = _Signals(environment, texts=texts)
    listener = TelemetryListener(
        signals.spans,
        signals.emit,
        RunCounts(
            signals.meters.get_meter(SCOPE, __version__),
            event=environment.get("GITHUB_EVENT_NAME", "local"),
        ),
        texts=texts,
        flush=signals.flush,
    )
    try:
        with listening(listener):
            yield
    finally:
        if unsent := signals.close():
            say(
                f"warning: telemetry: {unsent} batches did not reach the collector; the verdict "
                "stands\n  -> see OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS"
            )


def _ends(work: Callable[[], object]) -> bool:
    """Return whether it ends in time: who answers byte by byte is not waited for."""
    working = Thread(target=work, daemon=True)
    working.start()
    working.join(END_S + TIMEOUT_S)
    return not working.is_alive()


def _any(stand_in: object) -> Any:
    """Return it as what it stands for in the SDK."""
    return stand_in


def _batch(prefix: str) -> int | None:
    """Return how many are sent in one request: more of them cost less."""
    return None if os.environ.get(f"{prefix}_MAX_EXPORT_BATCH_SIZE") else _AT_ONCE


def _temporality() -> dict[type, AggregationTemporality] | None:
    """Return what counts mean: what this run counted, since no later run goes on from there."""
    if os.environ.get(_TEMPORALITY):
        return None
    return {Counter: AggregationTemporality.DELTA, Histogram: AggregationTemporality.DELTA}


def _quiet() -> None:
    """Keep the SDK's own log lines, with addresses in them, out of a build's log."""
    logger = logging.getLogger("opentelemetry")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
