"""A run's counts, sent now and then and at its end."""

import os
import time
from collections.abc import Callable, Mapping

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.metrics.v1.metrics_pb2 import ResourceMetrics, ScopeMetrics

from ragate.telemetry.collector.delivery import Delivery
from ragate.telemetry.messages import resource_message, scope_message
from ragate.telemetry.tallies import Tallies

_EVERY_S = 15.0
_PREFERENCE = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"


class SentMetrics:
    """Sends what `tallies` holds.

    Attributes:
        due: By `time.monotonic`: when that happens next.
        settle: Is called before, and counts what was put off.
    """

    def __init__(self, delivery: Delivery, resource: Mapping[str, str]) -> None:
        self.tallies = Tallies(cumulative=_is_cumulative())
        self.due = time.monotonic() + _EVERY_S
        self.settle: Callable[[], object] = lambda: None
        self._delivery = delivery
        self._resource = resource_message(resource)

    def send(self, *, everything: bool) -> None:
        """Send what was counted, where it is due."""
        if not everything or time.monotonic() < self.due:
            return
        self.due = time.monotonic() + _EVERY_S
        self.settle()
        if metrics := self.tallies.metrics():
            held = ScopeMetrics(scope=scope_message(), metrics=metrics)
            of_run = ResourceMetrics(resource=self._resource, scope_metrics=[held])
            request = ExportMetricsServiceRequest(resource_metrics=[of_run])
            self._delivery.send(request.SerializeToString())


def _is_cumulative() -> bool:
    """Return whether counts shall be running totals: no later run goes on from this one's."""
    wanted = os.environ.get(_PREFERENCE, "").strip().lower()
    return wanted not in {"", "delta", "lowmemory"}
