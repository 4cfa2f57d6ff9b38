"""Records of other tools' files as exchanges, by the names of a preset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.export_presets import PRESETS, Preset, Shape, has_signs
from ragate.outputs.traced_texts import (
    ANSWER_NAMES,
    MODEL_KINDS,
    QUESTION_NAMES,
    REFERENCE_NAMES,
    RETRIEVERS,
    Exchange,
    Passage,
    Passages,
    Step,
    answer_in,
    exchanges,
    joined,
    passages_in,
    text_in,
    turns_before,
    value_at,
)
from ragate.support.records import Record, is_table, json_value, parsed_cell, records
from ragate.support.settings import shown

Row = Mapping[str, Any]

# Where a list of records stands in an object, as tools write it and their APIs answer.
_WRAPPERS = (
    *("results", "outputs", "data", "traces", "examples", "spans"),
    *("testRunData", "testCases", "test_cases"),
)
# What every tool calls the same of a span.
_TRACE = ("traceId", "trace_id", "context.trace_id")
_SPAN = ("spanId", "context.span_id", "id")
_PARENT = ("parentSpanId", "parent_id", "parentObservationId", "parent_observation_id")
_KIND = (
    *("span_kind", "type", "attributes.openinference.span.kind"),
    *("attributes.gen_ai.operation.name", "attributes.traceloop.span.kind"),
)
_START, _END = ("startTime", "start_time"), ("endTime", "end_time")
_STATUS = ("status.status_code", "status.code", "status_code", "level", "failureReason")
_FAILED = frozenset({"2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR"})
_REASON = (
    *("status.description", "status.message", "status_message", "statusMessage"),
    "error",
)
_LONGEST = 1e15  # seconds


def read_export(preset: str, path: Path) -> Iterator[Exchange]:
    """Yield the exchanges of a file that another tool wrote.

    Args:
        preset: One of `PRESETS`.

    Raises:
        DatasetError: it cannot be read, or holds no question; names the place.
    """
    is_empty = True
    for exchange in _exchanges(preset, path):
        is_empty = False
        yield exchange
    if is_empty:
        raise DatasetError(
            f"{path}: no question with an answer in it",
            remedy=f"export what {preset} knows with inputs and outputs",
        )


def _exchanges(name: str, path: Path) -> Iterator[Exchange]:
    preset = PRESETS[name]
    is_json = path.suffix.lower() == ".json"
    spans: list[Step] = []
    systems: dict[str, None] = {}
    for where, row in _rows(path):
        shape = _shape_of(where, row, name, preset)
        _refuse_second_system(where, row, preset, systems)
        step = _step(where, row, shape, listed=is_json)
        if shape.step:
            spans.append(step)
        elif shape.steps:
            yield from _whole_trace(step, row, shape, name)
        elif step.exchange.query:
            yield replace(step.exchange, metadata={"source": name})
        else:
            raise _unread(where, row, shape.lacking, shape.remedy or preset.remedy, name)
    yield from exchanges(spans, source=name)


def _rows(path: Path) -> Iterator[Record]:
    """Yield the records of a file, also those inside of an object and of OTLP's resources."""
    for where, row in _unwrapped(path):
        if isinstance(row.get("resourceSpans"), list):
            for span in _otlp_spans(row):
                yield where, span
        elif isinstance(row.get("trace"), Mapping):  # a download: the trace beside its observations
            yield where, {**row["trace"], "observations": row.get("observations")}
        else:
            yield where, row


def _unwrapped(path: Path) -> Iterator[Record]:
    if path.suffix.lower() != ".json":
        yield from records(path, error=DatasetError)
        return
    value = json_value(path, error=DatasetError)
    for _ in range(2):  # {"results": {"results": [...]}}
        if isinstance(value, Mapping):
            inner = (value[name] for name in _WRAPPERS if isinstance(value.get(name), list | dict))
            value = next(inner, value)
    if is_table(value):
        yield from records(path, error=DatasetError)
        return
    for number, row in enumerate(value if isinstance(value, list) else [value], start=1):
        where = f"{path}: record {number}"
        if not isinstance(row, Mapping):
            raise DatasetError(f"{where}: {shown(row)}: must be an object")
        yield where, row


def _shape_of(where: str, row: Row, name: str, preset: Preset) -> Shape:
    for shape in preset.shapes:
        if not shape.has or has_signs(row, shape.has):
            return shape
    raise _unread(where, row, preset.neither, preset.remedy, name)


def _unread(where: str, row: Row, problem: str, remedy: str, name: str) -> DatasetError:
    fields = ", ".join(map(str, row))[:200] or "nothing"
    return DatasetError(
        f"{where}: {problem}; it has {fields}", remedy=remedy or f"is this file of {name}?"
    )


def _refuse_second_system(where: str, row: Row, preset: Preset, seen: dict[str, None]) -> None:
    if not preset.systems:
        return
    values = (_first(row, (f"{name}.id", name)) for name in preset.systems)
    seen[" with prompt ".join(str(value or 0) for value in values)] = None
    if len(seen) > 1:
        raise DatasetError(
            f"{where}: results of several systems: {'; '.join(seen)}",
            remedy="write the results of one provider and one prompt to a file: promptfoo eval "
            "--filter-providers, --filter-prompts",
        )


def _values(row: Row, names: Sequence[str]) -> list[Any]:
    """Return what stands under each of the names, without what is absent."""
    return [value for name in names if (value := value_at(row, name)) is not None]


def _first(row: Row, names: Sequence[str]) -> Any:
    """Return the first value that is not empty; None where there is none."""
    values = (value_at(row, name) for name in names)
    return next((value for value in values if value is not None and value != ""), None)


def _whole_trace(step: Step, row: Row, shape: Shape, name: str) -> Iterator[Exchange]:
    """Yield what a trace and its own observations say; nothing where they hold no question."""
    trace = str(row.get("id") or step.exchange.place)
    inner = (
        replace(_step(step.exchange.place, each, PRESETS[name].shapes[0]), trace=trace)
        for each in _objects(row, shape.steps)
    )
    exchange = joined([replace(step, trace=trace), *inner], source=name)
    if exchange is not None:
        yield exchange


def _step(where: str, row: Row, shape: Shape, *, listed: bool = True) -> Step:
    """Return what one record says.

    Args:
        listed: Whether passages are a list even where tables have them in one text.
    """
    asked, said = _values(row, shape.question), _values(row, shape.answer)
    chats = map(turns_before, asked)
    answer = _answer(where, row, shape, asked, said)
    exchange = Exchange(
        place=where,
        query=_text(asked, QUESTION_NAMES, role="user"),
        answer=answer,
        passages=_passages(where, row, shape, separator="" if listed else shape.separator),
        references=_references(where, row, shape),
        error=_error(row, shape, answered=answer is not None),
        latency_s=_seconds(_first(row, shape.latency), of=shape.per_second),
        turns=next(filter(None, chats), ()),
    )
    return _span(row, exchange, said) if shape.step else Step(exchange)


def _span(row: Row, exchange: Exchange, said: Sequence[Any]) -> Step:
    """Return an exchange as a span of its trace, with what spans alone tell."""
    kind = str(_first(row, _KIND) or "").upper()
    if exchange.passages is None:
        output = next(filter(None, map(passages_in, said)), None)
        # Before Langfuse had types of observations, a retrieval was a span of that name.
        if kind in {"", "SPAN"} and output and "retriev" in str(row.get("name")).lower():
            kind = "RETRIEVER"
        exchange = replace(exchange, passages=output if kind in RETRIEVERS else None)
    if kind in MODEL_KINDS:  # a model's prompt is no conversation
        exchange = replace(exchange, turns=())
    start, end = _time(_first(row, _START)), _time(_first(row, _END))
    if start is not None and end is not None and end >= start:
        exchange = replace(exchange, latency_s=end - start)
    trace, span, parent = (str(_first(row, names) or "") for names in (_TRACE, _SPAN, _PARENT))
    return Step(exchange, trace=trace, span=span, parent=parent, kind=kind, start=start)


def _text(values: Sequence[Any], names: Sequence[str], *, role: str) -> str:
    return next(filter(None, (text_in(value, names, role=role) for value in values)), "")


def _answer(
    where: str, row: Row, shape: Shape, asked: Sequence[Any], said: Sequence[Any]
) -> str | None:
    value = next(iter(said), None)
    if shape.plain:
        if value is not None and not isinstance(value, str):
            raise DatasetError(
                f"{where}: {_name(row, shape.answer)} = {shown(value)}: must be text"
            )
        chat = parsed_cell(next(iter(asked), None))
        if not value and isinstance(chat, list):  # of several turns: its last message
            return text_in(chat[-1:], (), role="assistant") or None
        return value
    if shape.step:
        return _text(said, ANSWER_NAMES, role="assistant") or None
    return None if value is None else answer_in(value)


def _references(where: str, row: Row, shape: Shape) -> tuple[str, ...]:
    value = _first(row, shape.references)
    if shape.plain:
        return _plain_texts(where, _name(row, shape.references), value)
    text = text_in(value, REFERENCE_NAMES, role="assistant")
    return (text,) if text else ()


def _error(row: Row, shape: Shape, *, answered: bool) -> str:
    if shape.plain:
        return ""
    told = _first(row, shape.error)
    if told or str(_first(row, _STATUS)) in _FAILED:
        return str(told or _first(row, _REASON) or "the trace says that it failed")
    return "" if answered else str(shape.unanswered and (row.get("error") or shape.unanswered))


def _passages(where: str, row: Row, shape: Shape, *, separator: str) -> Passages | None:
    """Return the passages of a record, None where it names none.

    Raises:
        DatasetError: an item of plain passages is no text, or their ids are of another number.
    """
    if shape.plain:
        return _plain_passages(where, row, shape, separator)
    for name in shape.passages:
        value = parsed_cell(value_at(row, name))
        # A list that a system returned may be anything; that of a retrieval is its documents.
        if shape.step or isinstance(value, Mapping):
            passages = passages_in(value)
            if passages is not None:
                return passages
    return None


def _plain_passages(where: str, row: Row, shape: Shape, separator: str) -> Passages | None:
    name, value = _name(row, shape.passages), _first(row, shape.passages)
    texts = _plain_texts(where, name, value, separator=separator)
    listed = parsed_cell(row.get(shape.ids))
    ids = [str(item) for item in listed] if isinstance(listed, list) else []
    if value is None and not ids:
        return None
    if ids and texts and len(ids) != len(texts):
        raise DatasetError(f"{where}: {len(texts)} {name}, and {len(ids)} {shape.ids}")
    rows = zip_longest(texts, ids, fillvalue="")
    return tuple(Passage(text=text, doc_id=doc_id) for text, doc_id in rows)


def _plain_texts(where: str, name: str, value: Any, *, separator: str = "") -> tuple[str, ...]:
    """Return the texts of a list, of a list in a cell, or of one text; none where it is null.

    Raises:
        DatasetError: an item is no text.
    """
    value = parsed_cell(value)
    if isinstance(value, str):
        value = value.split(separator) if separator else [value]
    items = value if isinstance(value, list) else [] if value is None else [value]
    for item in items:
        if not isinstance(item, str):
            raise DatasetError(f"{where}: {name}: {shown(item)}: must be text")
    return tuple(item for item in items if item.strip())


def _name(row: Row, names: Sequence[str]) -> str:
    return next((name for name in names if name in row), names[0])


def _seconds(value: Any, *, of: int = 1) -> float | None:
    """Return a duration in seconds, None where it is none.

    Args:
        of: How many of its units are a second: 1000 for milliseconds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value / of if 0 <= value < _LONGEST else None


def _time(value: Any) -> float | None:
    """Return a time in seconds, from ISO 8601 or from a number of milliseconds."""
    if isinstance(value, int | float):
        return _seconds(value, of=1000)
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
                for span in _objects(scope, "spans"):
                    yield {
                        **span,
                        "traceId": str(span.get("traceId", "")),
                        "attributes": _pairs(span, "attributes"),
                        "startTime": _milliseconds(span.get("startTimeUnixNano")),
                        "endTime": _milliseconds(span.get("endTimeUnixNano")),
                    }


def _milliseconds(nanoseconds: Any) -> float | None:
    try:
        return int(nanoseconds) / 1e6
    except (TypeError, ValueError, OverflowError):
        return None


def _pairs(row: Row, name: str, depth: int = 0) -> dict[str, Any]:
    return {
        str(item.get("key")): _any_value(item.get("value"), depth) for item in _objects(row, name)
    }


def _any_value(value: Any, depth: int = 0) -> Any:
    """Return a value of OTLP as plain JSON; whole numbers stand there as text."""
    if not isinstance(value, Mapping) or depth > 16:
        return None
    for name in ("stringValue", "boolValue", "doubleValue", "intValue"):
        if name in value:
            return value[name]
    if isinstance(array := value.get("arrayValue"), Mapping):
        return [_any_value(item, depth + 1) for item in _objects(array, "values")]
    if isinstance(pairs := value.get("kvlistValue"), Mapping):
        return _pairs(pairs, "values", depth + 1)
    return None
