"""OpenTelemetry: traces as the file exporter, a collector or the SDK's console exporter write them.

OTLP as JSON (opentelemetry-specification, protocol/file-exporter.md): one ``TracesData`` a line,
``resourceSpans`` > ``scopeSpans`` > ``spans``, camel case, attributes as a list of
``{"key", "value": {"stringValue"}}``, whole numbers as text, times in
nanoseconds as text. The console exporter of the Python SDK writes one object a span:
``context.trace_id``, ``parent_id``, plain attributes, times as ISO 8601.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports.exchange import Exchange, seconds
from ragate.outputs.exports.spans import Span, exchanges, nested
from ragate.outputs.exports.wrapped import wrapped_records

_FAILED = frozenset({"2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR"})


def read(path: Path) -> Iterator[Exchange]:
    """Yield one exchange for each trace with a question.

    Raises:
        DatasetError: the file holds no spans.
    """
    return exchanges(_spans(path), source="otel")


def looks_like(row: Mapping[str, Any]) -> bool:
    """Return whether a record is one of this format."""
    context = row.get("context")
    return "resourceSpans" in row or (isinstance(context, Mapping) and "trace_id" in context)


def _spans(path: Path) -> Iterator[Span]:
    for where, row in wrapped_records(path, "data", "spans"):
        if isinstance(row.get("resourceSpans"), list):
            yield from _of_otlp(where, row)
        elif isinstance(row.get("context"), Mapping) and looks_like(row):
            yield sdk_span(where, row)
        else:
            raise DatasetError(
                f"{where}: neither resourceSpans nor a span with context.trace_id; it has "
                f"{', '.join(map(str, row))[:200]}",
                remedy="write the traces with the file exporter, as JSON",
            )


def _of_otlp(where: str, row: Mapping[str, Any]) -> Iterator[Span]:
    for resource in objects(row, "resourceSpans"):
        # Before OTLP 0.19 scopes were instrumentation libraries.
        for name in ("scopeSpans", "instrumentationLibrarySpans"):
            for scope in objects(resource, name):
                for span in objects(scope, "spans"):
                    yield _otlp_span(where, span)


def objects(row: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; what is no object is left out."""
    items = row.get(name)
    listed = items if isinstance(items, list) else []
    yield from (item for item in listed if isinstance(item, Mapping))


def _otlp_span(where: str, row: Mapping[str, Any]) -> Span:
    attributes = {
        str(item.get("key")): _any_value(item.get("value")) for item in objects(row, "attributes")
    }
    status = row.get("status")
    return Span(
        place=where,
        trace_id=str(row.get("traceId", "")),
        span_id=str(row.get("spanId", "")),
        parent_id=str(row.get("parentSpanId") or ""),
        kind=kind_of(attributes),
        attributes=attributes,
        start=_seconds(row.get("startTimeUnixNano")),
        end=_seconds(row.get("endTimeUnixNano")),
        error=_failure(status, "code", "message"),
    )


def sdk_span(where: str, row: Mapping[str, Any]) -> Span:
    """Return a span as an SDK or an API writes it, with ``context`` and plain attributes."""
    context: Any = row.get("context")
    attributes: Any = row.get("attributes")
    attributes = attributes if isinstance(attributes, Mapping) else {}
    status = row.get("status", {"status_code": row.get("status_code", "")})
    return Span(
        place=where,
        trace_id=str(context.get("trace_id", "")),
        span_id=str(context.get("span_id", "")),
        parent_id=str(row.get("parent_id") or ""),
        kind=str(row.get("span_kind") or kind_of(attributes)).upper(),
        attributes=attributes,
        start=time_of(row.get("start_time")),
        end=time_of(row.get("end_time")),
        error=_failure(status, "status_code", "description"),
    )


def kind_of(attributes: Mapping[str, Any]) -> str:
    """Return what a span does by OpenInference, by OpenTelemetry GenAI, or by Traceloop."""
    for name in ("openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind"):
        kind = nested(attributes, name)
        if isinstance(kind, str) and kind:
            return kind.upper()
    return ""


def time_of(value: Any) -> float | None:
    """Return a time in seconds, from ISO 8601 or from a number of milliseconds."""
    if isinstance(value, int | float):
        return seconds(value, of=1000)
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _seconds(nanoseconds: Any) -> float | None:
    try:
        return int(nanoseconds) / 1e9
    except (TypeError, ValueError, OverflowError):
        return None


def _failure(status: Any, code: str, message: str) -> str:
    if not isinstance(status, Mapping) or str(status.get(code)) not in _FAILED:
        return ""
    return str(status.get(message) or "the trace says that it failed")


def _any_value(value: Any, depth: int = 0) -> Any:
    """Return a value of OTLP as plain JSON."""
    if not isinstance(value, Mapping) or depth > 16:
        return None
    for name in ("stringValue", "boolValue", "doubleValue"):
        if name in value:
            return value[name]
    if "intValue" in value:  # 64 bits as text
        return value["intValue"]
    if isinstance(array := value.get("arrayValue"), Mapping):
        return [_any_value(item, depth + 1) for item in objects(array, "values")]
    if isinstance(pairs := value.get("kvlistValue"), Mapping):
        return {
            str(item.get("key")): _any_value(item.get("value"), depth + 1)
            for item in objects(pairs, "values")
        }
    return None
