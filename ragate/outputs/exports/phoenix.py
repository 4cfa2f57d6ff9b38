"""Arize Phoenix: spans, experiments and data sets.

Spans are those of ``get_spans_dataframe()`` as CSV or JSON (columns ``context.trace_id``,
``parent_id``, ``span_kind``, ``attributes.input.value``, ``attributes.retrieval.documents``), or of
``GET /v1/projects/{project}/spans`` (objects with ``context`` and ``attributes``). The JSON of an
experiment, ``GET /v1/experiments/{id}/json``, is a list of ``example_id``, ``input``,
``reference_output``, ``output``, ``error``. Examples of a data set have ``input`` and ``output``,
which there is the right answer.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports.exchange import Exchange, seconds
from ragate.outputs.exports.otel import sdk_span, time_of
from ragate.outputs.exports.spans import Span, exchanges
from ragate.outputs.exports.texts import (
    QUESTION_NAMES,
    REFERENCE_NAMES,
    answer_in,
    passages_in,
    text_in,
    turns_before,
)
from ragate.outputs.exports.wrapped import wrapped_records
from ragate.support.records import Record, parsed_cell

_PREFIX = "attributes."


def read(path: Path) -> Iterator[Exchange]:
    """Yield one exchange for each trace, run of an experiment, or example.

    Raises:
        DatasetError: the records are none of these.
    """
    rows = wrapped_records(path, "data", "examples", "spans")
    first = next(rows, None)
    if first is None:
        return
    rows = _again(first, rows)
    if _is_span(first[1]):
        yield from exchanges((_span(where, row) for where, row in rows), source="phoenix")
        return
    for where, row in rows:
        yield _example(where, row)


def looks_like(row: Mapping[str, Any]) -> bool:
    """Return whether a record is one of this format."""
    return _is_span(row) or ("input" in row and bool({"reference_output", "example_id"} & set(row)))


def _again(first: Record, rows: Iterator[Record]) -> Iterator[Record]:
    yield first
    yield from rows


def _is_span(row: Mapping[str, Any]) -> bool:
    context = row.get("context")
    return "context.trace_id" in row or (
        "attributes" in row and isinstance(context, Mapping) and "trace_id" in context
    )


def _span(where: str, row: Mapping[str, Any]) -> Span:
    if isinstance(row.get("context"), Mapping):
        return sdk_span(where, row)
    attributes = {
        str(name).removeprefix(_PREFIX): parsed_cell(value)
        for name, value in row.items()
        if str(name).startswith(_PREFIX)
    }
    failed = row.get("status_code") == "ERROR"
    return Span(
        place=where,
        trace_id=str(row.get("context.trace_id", "")),
        span_id=str(row.get("context.span_id", "")),
        parent_id=str(row.get("parent_id") or ""),
        kind=str(row.get("span_kind") or "").upper(),
        attributes=attributes,
        start=time_of(row.get("start_time")),
        end=time_of(row.get("end_time")),
        error=str(row.get("status_message") or "the span failed") if failed else "",
    )


def _example(where: str, row: Mapping[str, Any]) -> Exchange:
    query = text_in(row.get("input"), QUESTION_NAMES, role="user")
    if not query:
        raise DatasetError(
            f"{where}: no question in it; it has {', '.join(map(str, row))[:200]}",
            remedy="is this file of Phoenix? Spans, experiments and data sets are read",
        )
    is_run = "reference_output" in row or "example_id" in row
    expected = row.get("reference_output") if is_run else row.get("output")
    reference = text_in(expected, REFERENCE_NAMES, role="assistant")
    answer = answer_in(row.get("output")) if is_run else ""
    error = row.get("error")
    return Exchange(
        place=where,
        query=query,
        answer=answer if is_run and row.get("output") is not None else None,
        passages=passages_in(row.get("output")) if is_run else None,
        references=(reference,) if reference else (),
        error=str(error) if error else "",
        latency_s=seconds(row.get("latency_ms"), of=1000),
        turns=turns_before(row.get("input")),
        metadata={"source": "phoenix"},
    )
