"""The whole report for programs; docs/report.schema.json describes it."""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ragate.models import Report

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def render(report: Report) -> str:
    """Return the report as indented JSON with sorted keys, the same bytes for the same report.

    Hidden characters and what starts a workflow command in a log (``##[``, ``::``) are written as
    JSON escapes: nothing is lost, and printing the text is harmless.
    """
    return "".join(parts(report))


def parts(report: Report) -> Iterator[str]:
    """Yield the text of `render` piece by piece: that of many samples need not be in memory."""
    rows = {
        name: value
        for name, field in type(report).model_fields.items()
        if not field.exclude and _are_rows(value := getattr(report, name))
    }
    rest = report.model_dump(exclude=set(rows))
    opening = "{"
    for name in sorted(rest.keys() | rows.keys()):
        yield f'{opening}\n  "{name}": '
        yield from _rows(rows[name]) if name in rows else [_indented(rest[name], by=2)]
        opening = ","
    yield "\n}\n"


def _are_rows(value: object) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return False
    return isinstance(value[0], BaseModel) or is_dataclass(value[0])


def _rows(rows: Sequence[Any]) -> Iterator[str]:
    opening, kind = "[", TypeAdapter(type(rows[0]))
    for row in rows:
        yield f"{opening}\n    {_indented(kind.dump_python(row), by=4)}"
        opening = ","
    yield "\n  ]"


def _indented(value: Any, *, by: int) -> str:
    return _written(value).replace("\n", "\n" + " " * by)  # no text of JSON holds a line end


def written(value: dict[str, Any]) -> str:
    """Return a document as harmless JSON; the rest as `render`."""
    return _written(value) + "\n"


def _written(value: Any) -> str:
    text = json.dumps(
        value,
        indent=2,
        sort_keys=True,
        ensure_ascii=False,
        allow_nan=False,
        default=ordered,
    )
    return _harmless(text)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the report."""
    return Report.model_json_schema(mode="serialization")


def ordered(value: object) -> list[Any]:
    """Return a set as a sorted list, since the order of a set differs from process to process."""
    if isinstance(value, frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no place in a report")


def _harmless(text: str) -> str:
    text = text.replace("##[", "##\\u005b").replace("::", "\\u003a\\u003a")
    return re.sub(r"[^\n -~]", _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if unicodedata.category(char) not in _HIDDEN:
        return char
    return json.dumps(char)[1:-1]
