"""OTLP over gRPC: the SDK's exporters, and why they could not send.

The exporters log why a request failed, with the address in it, and tell nobody else. So their stub,
which makes the request, is wrapped: by private names of theirs, which a test holds.
"""

from __future__ import annotations

import os
from typing import Any

# gRPC's core writes lines with addresses to standard error. It looks at this variable once, when it
# is loaded; the code under test may use gRPC too, and gets its variables as they were.
_VERBOSITY = "GRPC_VERBOSITY"
if _IS_UNSET := _VERBOSITY not in os.environ:
    os.environ[_VERBOSITY] = "NONE"

import grpc  # noqa: E402

if _IS_UNSET:
    del os.environ[_VERBOSITY]

from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter  # noqa: E402
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import (  # noqa: E402
    OTLPMetricExporter,
)
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: E402

from ragate.contrib.otel.delivery import (  # noqa: E402
    CERTIFICATE,
    ENDPOINT,
    HEADERS,
    TIMEOUT,
    Delivery,
    Reason,
)

_BY_CODE = {
    grpc.StatusCode.UNAUTHENTICATED: HEADERS,
    grpc.StatusCode.PERMISSION_DENIED: HEADERS,
    grpc.StatusCode.DEADLINE_EXCEEDED: TIMEOUT,
}


class GrpcDelivery(Delivery):
    """Of a signal that is sent by gRPC."""


class _OverError(grpc.RpcError):
    """Nothing is sent any more; an exporter asks it what it asks an answer, and tries no more."""

    def code(self) -> Any:
        return grpc.StatusCode.FAILED_PRECONDITION

    def details(self) -> str:
        return ""

    def trailing_metadata(self) -> tuple[()]:
        return ()


class _Stub:
    """A stub that says why a request failed, and makes none when time is over."""

    def __init__(self, stub: Any, delivery: GrpcDelivery) -> None:
        self._stub = stub
        self._delivery = delivery

    def Export(self, **options: Any) -> Any:  # noqa: N802 - the protocol's name
        left = self._delivery.left()
        if left <= 0:
            raise _OverError
        try:
            answer = self._stub.Export(**{**options, "timeout": min(options["timeout"], left)})
        except grpc.RpcError as error:
            self._delivery.reason = _why(error)
            raise
        self._delivery.reason = None
        return answer


class _Telling:
    """An exporter whose requests go through `_Stub`."""

    _client: Any

    def __init__(self, *, delivery: GrpcDelivery, **options: Any) -> None:
        self._delivery = delivery
        super().__init__(**options)

    def _initialize_channel_and_stub(self) -> None:
        super()._initialize_channel_and_stub()  # type: ignore[misc]
        self._client = _Stub(self._client, self._delivery)


class _Spans(_Telling, OTLPSpanExporter):
    pass


class _Events(_Telling, OTLPLogExporter):
    pass


class _Counts(_Telling, OTLPMetricExporter):
    pass


EXPORTERS: dict[str, Any] = {"traces": _Spans, "logs": _Events, "metrics": _Counts}


def _why(error: grpc.RpcError) -> Reason:
    """Return what went wrong, without an address: the details of gRPC hold one."""
    code, details = error.code(), str(error.details() or "").lower()
    if "handshake" in details or "certificate" in details or "ssl" in details:
        return "no secure connection", CERTIFICATE
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return "it did not answer in time", TIMEOUT
    if code is grpc.StatusCode.UNAVAILABLE:
        return "no connection", ENDPOINT
    return f"it answered {code.name}", _BY_CODE.get(code, ENDPOINT)
