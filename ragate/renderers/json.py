"""The whole report for programs; docs/report.schema.json describes it."""

import json
import re
import unicodedata
from typing import Any

from ragate.models import Report

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def render(report: Report) -> str:
    """Return the report as indented JSON with sorted keys, the same bytes for the same report.

    Hidden characters and what starts a workflow command in a log (``##[``, ``::``) are written as
    JSON escapes: nothing is lost, and printing the text is harmless.
    """
    return written(report.model_dump())


def written(value: dict[str, Any]) -> str:
    """Return a document as harmless JSON; the rest as `render`."""
    text = json.dumps(
        value,
        indent=2,
        sort_keys=True,
        ensure_ascii=False,
        allow_nan=False,
        default=ordered,
    )
    return _harmless(text) + "\n"


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
