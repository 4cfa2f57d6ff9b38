"""Records of other tools' files as exchanges, by the names of a preset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.settings import shown
from ragate.tables.cells import parsed_cell
from ragate.tables.containers import Container, Record, listed_in, open_container, rows_of
from ragate.tables.formats import FORMATS, Preset, Shape, has_signs, preset_of
from ragate.tables.plain import plain_exchange
from ragate.tables.traced import (
    ANSWER_NAMES,
    MODEL_KINDS,
    QUESTION_NAMES,
    REFERENCE_NAMES,
    RETRIEVERS,
    Exchange,
    Passages,
    Step,
    answer_in,
    exchanges,
    first_at,
    joined,
    passages_in,
    seconds,
    text_in,
    turns_before,
    value_at,
)

Row = Mapping[str, Any]

# What every tool calls the same of a span.
_TRACE = ("traceId", "trace_id", "context.trace_id")
_SPAN = ("spanId", "context.span_id", "id")
_PARENT = ("parentSpanId", "parent_id", "parentObservationId", "parent_observation_id")
_KIND = (
    "span_kind",
    "type",
    "attributes.openinference.span.kind",
    "attributes.gen_ai.operation.name",
    "attributes.traceloop.span.kind",
)
_START = ("startTime", "start_time")
_END = ("endTime", "end_time")
_STATUS = ("status.status_code", "status.code", "status_code", "level", "failureReason")
_FAILED = frozenset({"2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR"})
_REASON = ("status.description", "status.message", "status_message", "statusMessage", "error")
_DEEPEST = 16  # values of OTLP within one another


def read_export(
    name: str, path: Path, *, columns: Mapping[str, str] | None = None
) -> Iterator[Exchange]:
    """Yield the exchanges of a file that another tool wrote.

    Args:
        name: One of `FORMATS`.
        columns: The fields that somebody named, by what they hold.

    Raises:
        DatasetError: it cannot be read, or holds no question; names the place, and the tool that
            seems to have written the file.
    """
    is_empty = True
    try:
        for exchange in _exchanges(name, path, columns or {}):
            is_empty = False
            yield exchange
    except DatasetError as error:
        other = tool_of(path)
        if not other or other == name:
            raise
        raise DatasetError(error.message, remedy=f"it looks like a file of {other}") from error
    if is_empty and name == "table":
        raise DatasetError(f"{path}: no row in it", remedy="was the file written to its end?")
    if is_empty:
        raise DatasetError(
            f"{path}: no question with an answer in it",
            remedy=f"export what {name} knows with inputs and outputs",
        )


def tool_of(path: Path) -> str:
    """Return the tool that wrote a file, by its first record; "" where none is known to."""
    return preset_of(first_record(path))


def first_record(path: Path) -> Row:
    """Return the first record of a file, an empty one where there is none that can be read."""
    try:
        return next((row for _, row in export_rows(path)), {})
    except DatasetError:
        return {}


def _exchanges(name: str, path: Path, columns: Mapping[str, str]) -> Iterator[Exchange]:
    preset = FORMATS[name]
    opened = open_container(path)
    spans: list[Step] = []
    systems: dict[str, None] = {}
    for where, row in _rows_in(opened):
        shape = _shape_of(where, row, name, preset)
        _refuse_second_system(where, row, preset, systems)
        if shape.step:
            spans.append(_step(where, row, shape))
            continue
        if shape.steps:
            yield from _whole_trace(_step(where, row, shape), row, shape, name)
            continue

        if shape.is_plain:
            exchange = plain_exchange(
                where, row, shape, is_listed=opened.kind == "value", columns=columns
            )
        else:
            exchange = replace(_step(where, row, shape).exchange, metadata={"source": name})
        # A conversation may be one in which the user said nothing.
        is_conversation = bool(shape.messages) and (
            row.get("scenario") is not None or row.get("turns") is not None
        )
        if not exchange.query and not is_conversation:
            remedy = shape.remedy or preset.remedy
            raise _unread(where, row, name, problem=shape.lacking, remedy=remedy)
        yield exchange
    yield from exchanges(spans, source=name)


def export_rows(path: Path) -> Iterator[Record]:
    """Yield the records of a file, whoever wrote it."""
    return _rows_in(open_container(path))


def _rows_in(opened: Container) -> Iterator[Record]:
    """Yield the records of a file, also those inside of an object and of OTLP's resources."""
    for where, row in _unwrapped(opened):
        if isinstance(row.get("resourceSpans"), list):
            for span in _otlp_spans(row):
                yield where, span
        elif isinstance(row.get("trace"), Mapping):  # a download: the trace beside its observations
            yield where, {**row["trace"], "observations": row.get("observations")}
        elif {"queries", "corpus", "relevant_docs"} <= row.keys():
            yield from _pairs(opened.path, row)
        else:
            yield where, row


def _unwrapped(opened: Container) -> Iterator[Record]:
    is_one_record = isinstance(opened.value, Mapping) and listed_in(opened.value) is None
    if is_one_record:
        yield f"{opened.path}: record 1", opened.value
        return
    for where, row in rows_of(opened, error=DatasetError):
        if not isinstance(row, Mapping):
            raise DatasetError(f"{where}: {shown(row)}: must be an object")
        yield where, row


def _pairs(path: Path, value: Row) -> Iterator[Record]:
    """Yield the queries of LlamaIndex' EmbeddingQAFinetuneDataset with the texts of their nodes."""
    queries, corpus, relevant = value["queries"], value["corpus"], value["relevant_docs"]
    if not all(isinstance(table, Mapping) for table in (queries, corpus, relevant)):
        raise DatasetError(f"{path}: queries, corpus and relevant_docs must be objects")
    for name, query in queries.items():
        nodes = relevant.get(name)
        nodes = nodes if isinstance(nodes, list) else []
        if unknown := [node for node in nodes if str(node) not in corpus]:
            raise DatasetError(f"{path}: query {name}: {shown(unknown[0])} is not in corpus")
        texts = [corpus[str(node)] for node in nodes]
        row = {"id": name, "query": query, "relevant_docs": nodes, "reference_contexts": texts}
        yield f"{path}: query {name}", row


def _shape_of(where: str, row: Row, name: str, preset: Preset) -> Shape:
    for shape in preset.shapes:
        if not shape.has or has_signs(row, shape.has):
            return shape
    raise _unread(where, row, name, problem=preset.neither, remedy=preset.remedy)


def _unread(where: str, row: Row, name: str, *, problem: str, remedy: str) -> DatasetError:
    fields = ", ".join(map(str, row))[:200] or "nothing"
    return DatasetError(
        f"{where}: {problem}; it has {fields}", remedy=remedy or f"is this file of {name}?"
    )


def _refuse_second_system(where: str, row: Row, preset: Preset, seen: dict[str, None]) -> None:
    """Add the record's system to those that were seen, which may be one."""
    if not preset.systems:
        return
    values = [first_at(row, (f"{name}.id", name)) for name in preset.systems]
    system = " with prompt ".join(str(value or 0) for value in values)
    seen[system] = None
    if len(seen) > 1:
        raise DatasetError(
            f"{where}: results of several systems: {'; '.join(seen)}",
            remedy="write the results of one provider and one prompt to a file: promptfoo eval "
            "--filter-providers, --filter-prompts",
        )


def _values(row: Row, names: Sequence[str]) -> list[Any]:
    """Return what stands under each of the names, without what is absent."""
    return [value for name in names if (value := value_at(row, name)) is not None]


def _whole_trace(step: Step, row: Row, shape: Shape, name: str) -> Iterator[Exchange]:
    """Yield what a trace and its own observations say; nothing where they hold no question."""
    trace = str(row.get("id") or step.exchange.place)
    inner = (
        replace(_step(step.exchange.place, each, FORMATS[name].shapes[0]), trace=trace)
        for each in _objects(row, shape.steps)
    )
    exchange = joined([replace(step, trace=trace), *inner], source=name)
    if exchange is not None:
        yield exchange


def _step(where: str, row: Row, shape: Shape) -> Step:
    """Return what one record of a trace says."""
    asked, said = _values(row, shape.query), _values(row, shape.answer)
    answer = _answer(shape, said)
    exchange = Exchange(
        place=where,
        query=_text(asked, QUESTION_NAMES, role="user"),
        answer=answer,
        passages=_passages(row, shape),
        references=_references(row, shape),
        error=_error(row, shape, answered=answer is not None),
        latency_s=seconds(first_at(row, shape.latency), of=shape.per_second),
        turns=next(filter(None, map(turns_before, asked)), ()),
    )
    return _span(row, exchange, said) if shape.step else Step(exchange)


def _span(row: Row, exchange: Exchange, said: Sequence[Any]) -> Step:
    """Return an exchange as a span of its trace, with what spans alone tell."""
    kind = _first_text(row, _KIND).upper()
    if exchange.passages is None:
        passages = next(filter(None, map(passages_in, said)), None)
        # Before Langfuse had types of observations, a retrieval was a span of that name.
        is_named_so = "retriev" in str(row.get("name")).lower()
        if kind in {"", "SPAN"} and is_named_so and passages:
            kind = "RETRIEVER"
        if kind in RETRIEVERS:
            exchange = replace(exchange, passages=passages)
    if kind in MODEL_KINDS:  # a model's prompt is no conversation
        exchange = replace(exchange, turns=())

    start, end = _time(first_at(row, _START)), _time(first_at(row, _END))
    if start is not None and end is not None and end >= start:
        exchange = replace(exchange, latency_s=end - start)
    return Step(
        exchange,
        trace=_first_text(row, _TRACE),
        span=_first_text(row, _SPAN),
        parent=_first_text(row, _PARENT),
        kind=kind,
        start=start,
    )


def _first_text(row: Row, names: Sequence[str]) -> str:
    return str(first_at(row, names) or "")


def _text(values: Sequence[Any], names: Sequence[str], *, role: str) -> str:
    return next(filter(None, (text_in(value, names, role=role) for value in values)), "")


def _answer(shape: Shape, said: Sequence[Any]) -> str | None:
    if shape.step:
        return _text(said, ANSWER_NAMES, role="assistant") or None
    return answer_in(said[0]) if said else None


def _references(row: Row, shape: Shape) -> tuple[str, ...]:
    text = text_in(first_at(row, shape.references), REFERENCE_NAMES, role="assistant")
    return (text,) if text else ()


def _error(row: Row, shape: Shape, *, answered: bool) -> str:
    error = first_at(row, shape.error)
    if error or str(first_at(row, _STATUS)) in _FAILED:
        return str(error or first_at(row, _REASON) or "the trace says that it failed")
    if answered or not shape.unanswered:
        return ""
    return str(row.get("error") or shape.unanswered)


def _passages(row: Row, shape: Shape) -> Passages | None:
    """Return the passages of a record, None where it names none."""
    for name in shape.passages:
        value = parsed_cell(value_at(row, name))
        # A list that a system returned may be anything; that of a retrieval is its documents.
        if shape.step or isinstance(value, Mapping):
            passages = passages_in(value)
            if passages is not None:
                return passages
    return None


def _time(value: Any) -> float | None:
    """Return a time in seconds, from ISO 8601 or from a number of milliseconds."""
    if isinstance(value, int | float):
        return seconds(value, of=1000)
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _objects(row: Row, name: str) -> Iterator[Row]:
    """Yield the objects of a list; what is no object is left out."""
    items = row.get(name)
    listed = items if isinstance(items, list) else []
    yield from (item for item in listed if isinstance(item, Mapping))


def _otlp_spans(row: Row) -> Iterator[Row]:
    """Yield the spans of OTLP as JSON (protocol/file-exporter.md) with plain attributes."""
    for resource in _objects(row, "resourceSpans"):
        # Before OTLP 0.19 scopes were instrumentation libraries.
        for name in ("scopeSpans", "instrumentationLibrarySpans"):
            for scope in _objects(resource, name):
                yield from map(_plain_span, _objects(scope, "spans"))


def _plain_span(span: Row) -> Row:
    return {
        **span,
        "traceId": str(span.get("traceId", "")),
        "attributes": _key_values(span, "attributes"),
        "startTime": _milliseconds(span.get("startTimeUnixNano")),
        "endTime": _milliseconds(span.get("endTimeUnixNano")),
    }


def _milliseconds(nanoseconds: Any) -> float | None:
    try:
        return int(nanoseconds) / 1e6
    except (TypeError, ValueError, OverflowError):
        return None


def _key_values(row: Row, name: str, depth: int = 0) -> dict[str, Any]:
    return {
        str(item.get("key")): _any_value(item.get("value"), depth) for item in _objects(row, name)
    }


def _any_value(value: Any, depth: int = 0) -> Any:
    """Return a value of OTLP as plain JSON; whole numbers stand there as text."""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return None
    for name in ("stringValue", "boolValue", "doubleValue", "intValue"):
        if name in value:
            return value[name]
    if isinstance(array := value.get("arrayValue"), Mapping):
        return [_any_value(item, depth + 1) for item in _objects(array, "values")]
    if isinstance(pairs := value.get("kvlistValue"), Mapping):
        return _key_values(pairs, "values", depth + 1)
    return None
