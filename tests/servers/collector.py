"""A collector on loopback: takes OTLP over HTTP and decodes it with the protocol's own messages."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.servers.serving import serving


@dataclass
class Collector:
    """What was received.

    Attributes:
        status: What every request is answered with.
        bodies: As they came over the line, uncompressed.
    """

    url: str = ""
    status: int = 200
    spans: list[Any] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    metrics: list[Any] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def named(self, name: str) -> list[Any]:
        """Return the spans of that name."""
        return [span for span in self.spans if span.name == name]

    def events_named(self, name: str) -> list[Any]:
        """Return the events of that name."""
        return [event for event in self.events if event.event_name == name]

    def points(self, metric: str) -> list[tuple[dict[str, Any], Any]]:
        """Return attributes and data point of a metric, in the order of arrival."""
        found = []
        for each in self.metrics:
            if each.name == metric:
                data = getattr(each, str(each.WhichOneof("data")))
                found += [(attributes(point), point) for point in data.data_points]
        return found

    def take(self, path: str, body: bytes) -> None:
        """Decode one request; a message that is none raises."""
        if path == "/v1/traces":
            for part in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(attributes(part.resource))
                self.spans += [span for scope in part.scope_spans for span in scope.spans]
        elif path == "/v1/logs":
            for logs in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.resources.append(attributes(logs.resource))
                self.events += [record for scope in logs.scope_logs for record in scope.log_records]
        elif path == "/v1/metrics":
            for metrics in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.resources.append(attributes(metrics.resource))
                self.metrics += [each for scope in metrics.scope_metrics for each in scope.metrics]
        else:
            raise AssertionError(path)


def attributes(of: Any) -> dict[str, Any]:
    """Return attributes as Python's values."""
    return {
        each.key: getattr(each.value, str(each.value.WhichOneof("value"))) for each in of.attributes
    }


@contextmanager
def collector() -> Iterator[Collector]:
    """Run one until the end of the block."""
    seen = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            seen.headers.append({name.lower(): value for name, value in self.headers.items()})
            seen.bodies.append(body)
            if seen.status == 200:
                seen.take(self.path, body)
            self.send_response(seen.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            return

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as seen.url:
        yield seen
