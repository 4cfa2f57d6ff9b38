"""Telemetry of one run: what hears it, what sends it, and how both end with it."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from ragate.support.spans import listening
from ragate.telemetry.collector.client import CollectorClient
from ragate.telemetry.collector.courier import THREAD, Courier
from ragate.telemetry.collector.delivery import Delivery
from ragate.telemetry.collector.destination import TIMEOUT_S, SignalName, destination
from ragate.telemetry.collector.send_queue import QUEUE, SendQueue
from ragate.telemetry.listener import TelemetryListener
from ragate.telemetry.live_spans import LiveSpans, SpanMessages
from ragate.telemetry.messages import events_envelope, spans_envelope
from ragate.telemetry.resource import metrics_attributes, resource_attributes
from ragate.telemetry.run_counts import RunCounts
from ragate.telemetry.sampling import sampler
from ragate.telemetry.sent_events import SentEvents
from ragate.telemetry.sent_metrics import SentMetrics

END_S = 10.0  # of what is still to be sent when the run is over
_AT_ONCE = 4096  # spans or events in a request: more of them cost less
_TEXTS_AT_ONCE = 512
_EVERY_MS = 5000
_SIGNALS: tuple[SignalName, ...] = ("traces", "logs", "metrics")


class _Signals:
    """What sends spans, events and metrics.

    Args:
        texts: Events may be long, so that fewer of them are sent together.
    """

    def __init__(self, environment: Mapping[str, str], *, texts: bool) -> None:
        self._clients = [CollectorClient(destination(name)) for name in _SIGNALS]
        self._deliveries = [Delivery(client) for client in self._clients]
        spans, events, metrics = self._deliveries
        resource = resource_attributes(environment)
        around_events = events_envelope(resource)
        self._courier = Courier(_number("OTEL_BSP_SCHEDULE_DELAY", _EVERY_MS) / 1000)
        at_once = _number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", _AT_ONCE)
        wake = self._courier.wake
        of_spans = SpanMessages(spans_envelope(resource)).request
        self._spans = SendQueue(spans, of_spans, at_once=at_once, wake=wake)
        some = _TEXTS_AT_ONCE if texts else _AT_ONCE
        at_once = _number("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", some)
        self._events = SendQueue(events, around_events.request, at_once=at_once, wake=wake)
        self._metrics = SentMetrics(metrics, metrics_attributes(environment))
        event = environment.get("GITHUB_EVENT_NAME", "local")
        self.counts = RunCounts(self._metrics.tallies.record, event=event)
        self._metrics.settle = self.counts.settle
        self.spans = LiveSpans(self._spans.put, sampler())
        self.events = SentEvents(self._events.put, around_events)
        self._is_stuck = False
        self._failures: list[str] = []
        self._courier.start([self._spans, self._events, self._metrics])

    def flush(self) -> None:
        """Send what waits; where that takes too long, never again."""
        self._is_stuck = self._is_stuck or not self._courier.flush(END_S + TIMEOUT_S)

    def failed(self, error: Exception) -> None:
        """Hear what could not be told."""
        self._failures.append(type(error).__name__)

    def close(self) -> Iterator[str]:
        """Send what is left, within `END_S`; yield what did not get there, a line each."""
        for delivery in self._deliveries:
            delivery.until = time.monotonic() + END_S
        self._metrics.due = 0.0
        # Who answers byte by byte is not waited for.
        ended = self._courier.stop(END_S + TIMEOUT_S)
        if ended:  # else it may be sending yet
            for client in self._clients:
                client.close()
        if unsent := sum(each.unsent for each in self._deliveries) + (not ended):
            yield (
                f"{unsent} batches did not reach the collector; the verdict stands\n"
                "  -> see OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS"
            )
        if dropped := self._spans.dropped + self._events.dropped:
            yield (
                f"{dropped} spans and events were dropped: more than {QUEUE} waited for the "
                "collector; the verdict stands"
            )
        for name in self._failures:
            yield f"the run's scores and counts could not be told ({name}); the verdict stands"


@contextmanager
def exporting(
    environment: Mapping[str, str], *, texts: bool, say: Callable[[str], None]
) -> Iterator[None]:
    """Send what runs inside, until the end, and then what is left within `END_S`.

    Where to is what the process's ``OTEL_EXPORTER_OTLP_*`` say.

    Args:
        environment: The runner's variables.
        texts: Answers and reasons are sent as well, where the policy publishes them.
    """
    signals = _Signals(environment, texts=texts)
    listener = TelemetryListener(
        signals.spans,
        signals.events,
        signals.counts,
        texts=texts,
        flush=signals.flush,
        failed=signals.failed,
    )
    with _quiet():
        try:
            with listening(listener):
                yield
        finally:
            for line in signals.close():
                say(f"warning: telemetry: {line}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the client's lines about these requests, with addresses, out of a build's log."""
    logger = logging.getLogger("httpx")
    logger.addFilter(_is_of_others)
    try:
        yield
    finally:
        logger.removeFilter(_is_of_others)


def _is_of_others(record: logging.LogRecord) -> bool:
    return record.threadName != THREAD


def _number(variable: str, otherwise: int) -> int:
    """Return what a variable of OpenTelemetry asks for, where that is 1 or more."""
    try:
        wanted = float(os.environ.get(variable, ""))
    except ValueError:
        return otherwise
    return int(wanted) if 1 <= wanted < float("inf") else otherwise
