"""OpenTelemetry's SDK, set up for one run and shut down with it."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExportResult
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    MetricExportResult,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

from ragate.support.spans import listening
from ragate.telemetry.listener import TelemetryListener
from ragate.telemetry.names import SCOPE
from ragate.telemetry.resource import metrics_attributes, resource_attributes
from ragate.telemetry.run_counts import RunCounts
from ragate.version import __version__

TIMEOUT_S = 5.0  # of one request, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise
END_S = 10.0  # of what is still to be sent when the run is over, for each of the three signals
QUEUE = 65_536  # spans and events that wait to be sent
_METRICS_EVERY_MS = 15_000
_TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"


class WatchedExporter:
    """An exporter that gives up for good once a request failed after the SDK's own retries.

    A collector that is down must not hold the run up at every batch, nor a slow one its end.

    Attributes:
        unsent: Batches that were not delivered.
        until: By `time.monotonic`: when it gives up at the latest.

    Args:
        failure: What the SDK's exporter returns where it failed.
    """

    def __init__(self, exporter: Any, failure: Any) -> None:
        self._exporter = exporter
        self._failure = failure
        self._given_up = False
        self.unsent = 0
        self.until = float("inf")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exporter, name)

    def export(self, batch: Any, **options: Any) -> Any:
        """Send one batch; returns what the SDK's exporter returns."""
        result = self._failure
        if not self._given_up and time.monotonic() < self.until:
            result = self._exporter.export(batch, **options)
        if result is self._failure:
            self._given_up = True
            self.unsent += 1
        return result


class _Signals:
    """The SDK's providers of spans, events and metrics, each with its exporter."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        timeout = None if os.environ.get("OTEL_EXPORTER_OTLP_TIMEOUT") else TIMEOUT_S
        metrics = OTLPMetricExporter(timeout=timeout, preferred_temporality=_temporality())
        spans = WatchedExporter(OTLPSpanExporter(timeout=timeout), SpanExportResult.FAILURE)
        events = WatchedExporter(OTLPLogExporter(timeout=timeout), LogRecordExportResult.FAILURE)
        counts = WatchedExporter(metrics, MetricExportResult.FAILURE)
        self.exporters = (spans, events, counts)
        whole = Resource.create(resource_attributes(environment))
        steady = Resource.create(metrics_attributes(environment))
        self.tracers = TracerProvider(resource=whole, shutdown_on_exit=False)
        self.tracers.add_span_processor(BatchSpanProcessor(_any(spans), max_queue_size=QUEUE))
        self.loggers = LoggerProvider(resource=whole, shutdown_on_exit=False)
        records = BatchLogRecordProcessor(_any(events), max_queue_size=QUEUE)
        self.loggers.add_log_record_processor(records)
        reader = PeriodicExportingMetricReader(_any(counts), _METRICS_EVERY_MS)
        self.meters = MeterProvider([reader], resource=steady, shutdown_on_exit=False)

    def close(self) -> int:
        """Send what is left, within `END_S`; returns the batches that were not delivered."""
        for exporter in self.exporters:
            exporter.until = time.monotonic() + END_S
        for provider in (self.tracers, self.loggers, self.meters):
            provider.shutdown()
        return sum(exporter.unsent for exporter in self.exporters)


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
    signals = _Signals(environment)
    listener = TelemetryListener(
        signals.tracers.get_tracer(SCOPE, __version__),
        signals.loggers.get_logger(SCOPE, __version__),
        RunCounts(
            signals.meters.get_meter(SCOPE, __version__),
            event=environment.get("GITHUB_EVENT_NAME", "local"),
        ),
        texts=texts,
        flush=signals.loggers.force_flush,
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


def _any(exporter: WatchedExporter) -> Any:
    """Return it as the SDK's exporter that it stands for."""
    return exporter


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
