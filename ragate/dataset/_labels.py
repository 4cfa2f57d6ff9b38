"""Labels: what people said of answers, to compare a judge with."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.core.judging.criteria import ALL_CRITERIA, YES_OR_NO
from ragate.core.judging.judgement_hash import judgement_hash
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
    labels: list[Label] = []
    places: dict[tuple[str, str], str] = {}
    said: dict[tuple[str, str], tuple[bool | float, str]] = {}
    for number, row in read_lines(path, error=DatasetError, max_bytes=MAX_BYTES):
        where = f"{path}:{number}"
        if len(labels) == MAX_SAMPLES:
            raise DatasetError(f"{path}: more than {MAX_SAMPLES} labels")
        label = _label(where, number, _fields(where, row))
        key = (label.sample.id, label.criterion)
        if key in places:
            raise DatasetError(f"{where}: {key[0]!r} has a label for {key[1]} at {places[key]}")
        places[key] = where
        _refuse_contradiction(where, label, said)
        labels.append(label)
    if not labels:
        raise DatasetError(f"{path}: no labels", remedy="docs/calibrate.md shows how to write one")
    return labels


def _refuse_contradiction(
    where: str, label: Label, said: dict[tuple[str, str], tuple[bool | float, str]]
) -> None:
    """Raise where an equal answer has another label: a judge could only agree with one of them."""
    key = (judgement_hash("", label.sample, label.output), label.criterion)
    other, place = said.setdefault(key, (label.label, where))
    if (other, type(other)) != (label.label, type(label.label)):
        raise DatasetError(
            f"{where}: {label.criterion} of this answer is {shown(label.label)}, and "
            f"{shown(other)} for the same question, contexts and answer at {place}",
            remedy="settle which is right, and take the other line out",
        )


def _fields(where: str, row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise DatasetError(f"{where}: {shown(row)}: a label is an object")
    fields: dict[str, Any] = {}
    for name, value in row.items():
        field = _FIELD_OF.get(name)
        if field is None:
            raise DatasetError(f"{where}: unknown field {shown(name)}{nearest(name, _FIELD_OF)}")
        if field in fields:
            raise DatasetError(f"{where}: {field!r} stands twice, the second time as {name!r}")
        fields[field] = value
    for name in _REQUIRED:
        if name not in fields:
            raise DatasetError(f"{where}: {name!r} is missing")
    return fields


def _label(where: str, number: int, fields: Mapping[str, Any]) -> Label:
    name = _text(where, "id", fields.get("id", f"line-{number}"))
    if len(name) > MAX_ID:
        raise _wrong(where, "id", name, f"must have at most {MAX_ID} characters")
    sample = Sample(
        id=name,
        query=_text(where, "query", fields["query"]),
        references=tuple(_texts(where, "references", fields.get("references", []))),
        answerable=_flag(where, "answerable", fields.get("answerable", True)),
    )
    texts = _texts(where, "contexts", fields.get("contexts", []))
    chunks = (RetrievedChunk(doc_id=f"context-{n}", text=text) for n, text in enumerate(texts, 1))
    answer = fields["answer"]
    if not isinstance(answer, str):
        raise _wrong(where, "answer", answer, "must be text")
    criterion = _text(where, "criterion", fields["criterion"])
    return Label(
        sample=sample,
        output=SystemOutput(chunks=tuple(chunks), answer=answer),
        criterion=criterion,
        label=_grade(where, fields["label"], criterion),
    )


def _grade(where: str, value: Any, criterion: str) -> bool | float:
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(where, "label", value, "must be true, false or a grade")
    judged = ALL_CRITERIA.get(criterion)
    if judged is not None and judged.lower_is_better:
        problem = f"{criterion} is better the lower it is, and a label says what is good"
        raise _wrong(where, "criterion", criterion, f"{problem}: label claim_precision")
    if judged is not None and not judged.low <= value <= judged.high:
        scale = f"{judged.low:g} to {judged.high:g}"
        raise _wrong(where, "label", value, f"{criterion} goes from {scale}")
    if criterion in YES_OR_NO and value not in (0, 1):
        raise _wrong(where, "label", value, f"{criterion} is true or false")
    return float(value)


def _text(where: str, name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(where, name, value, "must be text that is not blank")
    return value


def _texts(where: str, name: str, value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, str):
            raise _wrong(where, name, item, "must be text")
        yield item


def _flag(where: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, name, value, "must be true or false")
    return value


def _wrong(where: str, name: str, value: Any, reason: str) -> DatasetError:
    return DatasetError(f"{where}: {name} = {shown(value)}: {reason}")
