"""The collector on loopback, spoken to by gRPC: it keeps what it gets as that over HTTP does."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2_grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from tests.servers.collector import Collector

_SERVICES: tuple[tuple[str, Any, Any, Any], ...] = (
    (
        "/v1/traces",
        trace_service_pb2_grpc.TraceServiceServicer,
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server,
        ExportTraceServiceResponse,
    ),
    (
        "/v1/logs",
        logs_service_pb2_grpc.LogsServiceServicer,
        logs_service_pb2_grpc.add_LogsServiceServicer_to_server,
        ExportLogsServiceResponse,
    ),
    (
        "/v1/metrics",
        metrics_service_pb2_grpc.MetricsServiceServicer,
        metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server,
        ExportMetricsServiceResponse,
    ),
)


@contextmanager
def grpc_collector(*, code: Any = None, pair: Path | None = None) -> Iterator[Collector]:
    """Run one until the end of the block.

    Args:
        code: What every request is refused with; None: it is taken.
        pair: A file with key and certificate, for TLS.
    """
    seen = Collector()
    server = grpc.server(ThreadPoolExecutor(4))
    for path, servicer, add, response in _SERVICES:
        add(_service(seen, path, servicer, response, code), server)
    if pair is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        content = pair.read_bytes()
        port = server.add_secure_port(
            "127.0.0.1:0", grpc.ssl_server_credentials([(content, content)])
        )
    seen.url = f"http{'s' if pair else ''}://127.0.0.1:{port}"
    server.start()
    try:
        yield seen
    finally:
        server.stop(None).wait(5)


def _service(seen: Collector, path: str, servicer: Any, response: Any, code: Any) -> Any:
    def export(_self: Any, request: Any, context: Any) -> Any:
        body = request.SerializeToString()
        seen.headers.append(dict(context.invocation_metadata()))
        seen.bodies.append(body)
        if code is not None:
            context.abort(code, "what a server says")
        seen.take(path, body)
        return response()

    return type("Service", (servicer,), {"Export": export})()
