"""Labels: what people said of answers, to compare a judge with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.core.judging.criteria import ALL_CRITERIA
from ragate.dataset._rows import MAX_BYTES, MAX_SAMPLES
from ragate.errors import DatasetError
from ragate.models import RetrievedChunk, Sample, SystemOutput
from ragate.support.settings import nearest, shown
from ragate.support.strict_json import read_lines

_SPELLINGS = {
    "id": ("id",),
    "query": ("query", "question"),
    "contexts": ("contexts",),
    "answer": ("answer",),
    "references": ("references", "reference", "reference_answer", "ground_truth"),
    "answerable": ("answerable",),
    "criterion": ("criterion",),
    "label": ("label",),
}
_FIELD_OF = {name: field for field, names in _SPELLINGS.items() for name in names}
MAX_ID = 200
_REQUIRED = ("query", "answer", "criterion", "label")


@dataclass(frozen=True)
class Label:
    """One answer and what a person said of it under one criterion.

    Attributes:
        label: True where it is good, false where not, or a grade on the criterion's own scale; one
            of a criterion that ragate does not know can be any number.
    """

    sample: Sample
    output: SystemOutput
    criterion: str
    label: bool | float


def read_labels(path: Path) -> list[Label]:
    """Return the labels of a JSON Lines file, in order; empty lines are skipped.

    One answer may stand under several criteria, a line each.

    Raises:
        DatasetError: names the line; or the file holds no label.
    """
    found: list[Label] = []
    seen: dict[tuple[str, str], str] = {}
    for number, row in read_lines(path, error=DatasetError, max_bytes=MAX_BYTES):
        place = f"{path}:{number}"
        if len(found) == MAX_SAMPLES:
            raise DatasetError(f"{path}: more than {MAX_SAMPLES} labels")
        label = _label(place, number, _fields(place, row))
        key = (label.sample.id, label.criterion)
        if key in seen:
            raise DatasetError(f"{place}: {key[0]!r} has a label for {key[1]} at {seen[key]}")
        seen[key] = place
        found.append(label)
    if not found:
        raise DatasetError(f"{path}: no labels", remedy="docs/calibrate.md shows how to write one")
    return found


def _fields(place: str, row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise DatasetError(f"{place}: {shown(row)}: a label is an object")
    fields: dict[str, Any] = {}
    for name, value in row.items():
        field = _FIELD_OF.get(name)
        if field is None:
            raise DatasetError(f"{place}: unknown field {shown(name)}{nearest(name, _FIELD_OF)}")
        if field in fields:
            raise DatasetError(f"{place}: {field!r} stands twice, the second time as {name!r}")
        fields[field] = value
    for name in _REQUIRED:
        if name not in fields:
            raise DatasetError(f"{place}: {name!r} is missing")
    return fields


def _label(place: str, number: int, fields: Mapping[str, Any]) -> Label:
    name = _text(place, "id", fields.get("id", f"line-{number}"))
    if len(name) > MAX_ID:
        raise _wrong(place, "id", name, f"must have at most {MAX_ID} characters")
    sample = Sample(
        id=name,
        query=_text(place, "query", fields["query"]),
        references=tuple(_texts(place, "references", fields.get("references", []))),
        answerable=_flag(place, "answerable", fields.get("answerable", True)),
    )
    texts = _texts(place, "contexts", fields.get("contexts", []))
    chunks = (RetrievedChunk(doc_id=f"context-{n}", text=text) for n, text in enumerate(texts, 1))
    answer = fields["answer"]
    if not isinstance(answer, str):
        raise _wrong(place, "answer", answer, "must be text")
    criterion = _text(place, "criterion", fields["criterion"])
    return Label(
        sample=sample,
        output=SystemOutput(chunks=tuple(chunks), answer=answer),
        criterion=criterion,
        label=_verdict(place, fields["label"], criterion),
    )


def _verdict(place: str, value: Any, criterion: str) -> bool | float:
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(place, "label", value, "must be true, false or a grade")
    known = ALL_CRITERIA.get(criterion)
    if known is not None and not known.low <= value <= known.high:
        scale = f"{known.low:g} to {known.high:g}"
        raise _wrong(place, "label", value, f"{criterion} goes from {scale}")
    return float(value)


def _text(place: str, name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(place, name, value, "must be text that is not blank")
    return value


def _texts(place: str, name: str, value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, str):
            raise _wrong(place, name, item, "must be text")
        yield item


def _flag(place: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(place, name, value, "must be true or false")
    return value


def _wrong(place: str, name: str, value: Any, reason: str) -> DatasetError:
    return DatasetError(f"{place}: {name} = {shown(value)}: {reason}")
