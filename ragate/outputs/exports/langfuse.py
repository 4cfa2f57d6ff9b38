"""Langfuse: traces, observations and items of data sets, as CSV, JSON or JSON Lines.

The table of traces and the API's list have ``id``, ``input``, ``output``; a trace that was
downloaded alone, or ``GET /api/public/traces/{id}``, has ``observations`` as objects. Observations
have ``traceId``, ``parentObservationId``, ``type`` (``RETRIEVER``, ``GENERATION``, ``SPAN``, …),
``input``, ``output``, ``level``; the blob storage export writes the same in snake case. Items of a
data set have ``expectedOutput``. ``input`` and ``output`` are any JSON, in CSV and in some JSON
exports as text.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports.exchange import Exchange, seconds
from ragate.outputs.exports.otel import objects, time_of
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
from ragate.support.records import parsed_cell

_RETRIEVED = "retrieval.documents"


def read(path: Path) -> Iterator[Exchange]:
    """Yield one exchange for each trace with a question, or for each item of a data set.

    Raises:
        DatasetError: a record is none of these; names the place.
    """
    observations: list[Span] = []
    for where, row in wrapped_records(path, "data", "traces"):
        trace: Any = row.get("trace")
        if isinstance(trace, Mapping):  # a download: the trace beside its observations
            row = {**trace, "observations": row.get("observations")}
        if _of_trace(row):
            observations.append(_observation(where, row))
            continue
        if not {"input", "output", "expectedOutput", "expected_output"} & row.keys():
            raise DatasetError(
                f"{where}: neither a trace, nor an observation, nor an item of a data set; it has "
                f"{', '.join(map(str, row))[:200]}",
                remedy="is this file of Langfuse? Export the traces with input and output",
            )
        if exchange := _whole(where, row):
            yield exchange
    yield from exchanges(observations, source="langfuse")


def looks_like(row: Mapping[str, Any]) -> bool:
    """Return whether a record is one of this format."""
    return bool(_of_trace(row)) or ("input" in row and "htmlPath" in row)


def _either(row: Mapping[str, Any], camel: str) -> Any:
    """Return a field under its name in the API, or under that of the blob storage export."""
    snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in camel)
    return row.get(camel, row.get(snake))


def _of_trace(row: Mapping[str, Any]) -> str:
    """Return the trace that a record is an observation of, "" where it is none."""
    known = {"type", "parentObservationId", "parent_observation_id"}
    return str(_either(row, "traceId") or "") if known & row.keys() else ""


def _observation(where: str, row: Mapping[str, Any], trace_id: str = "") -> Span:
    kind = str(row.get("type") or "SPAN").upper()
    name = str(row.get("name") or "").lower()
    attributes = {"input.value": row.get("input"), "output.value": row.get("output")}
    documents = passages_in(row.get("output"))
    # Before there were types of observations, a retrieval was a span of that name.
    if kind == "RETRIEVER" or (documents and "retriev" in name):
        kind = "RETRIEVER"
        attributes = {"input.value": row.get("input"), _RETRIEVED: parsed_cell(row.get("output"))}
    failed = row.get("level") == "ERROR"
    return Span(
        place=where,
        trace_id=trace_id or _of_trace(row),
        span_id=str(row.get("id", "")),
        parent_id=str(_either(row, "parentObservationId") or ""),
        kind=kind,
        attributes=attributes,
        start=time_of(_either(row, "startTime")),
        end=time_of(_either(row, "endTime")),
        error=str(_either(row, "statusMessage") or "the trace failed") if failed else "",
    )


def _whole(where: str, row: Mapping[str, Any]) -> Exchange | None:
    """Return what a trace or an item says; None where it holds no question."""
    inner = objects(row, "observations")
    trace_id = str(row.get("id") or where)
    spans = [_observation(where, step, trace_id) for step in inner]
    whole = next(iter(exchanges(spans, source="langfuse")), None)
    query = text_in(row.get("input"), QUESTION_NAMES, role="user") or (whole.query if whole else "")
    if not query:
        return None
    answer = answer_in(row.get("output"))
    reference = text_in(_either(row, "expectedOutput"), REFERENCE_NAMES, role="assistant")
    passages = whole.passages if whole else None
    return Exchange(
        place=where,
        query=query,
        answer=answer or (whole.answer if whole else None),
        passages=passages if passages is not None else _of_output(row.get("output")),
        references=(reference,) if reference else (),
        error=whole.error if whole and not answer else "",
        latency_s=seconds(row.get("latency")),
        turns=turns_before(row.get("input")),
        metadata={"source": "langfuse", "trace": trace_id},
    )


def _of_output(output: Any) -> Any:
    """Return the documents that a trace's own output names beside the answer."""
    output = parsed_cell(output)
    return passages_in(output) if isinstance(output, Mapping) else None
