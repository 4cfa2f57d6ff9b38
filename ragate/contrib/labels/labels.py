"""Labels of answers by people: what `ragate calibrate` reads, and the file of review labels."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragate.contrib.labels.review_label import ReviewLabel
from ragate.core.hashing import judgement_hash
from ragate.core.judging.criteria import ALL_CRITERIA, YES_OR_NO
from ragate.dataset._rows import MAX_BYTES, MAX_SAMPLES, WHOLE_BYTES
from ragate.errors import DatasetError
from ragate.files import strict_json
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import read_bytes
from ragate.files.strict_json import canonical, loads, read_lines
from ragate.models import RetrievedChunk, Sample, SystemOutput
from ragate.settings import nearest, shown
from ragate.version import MANUAL

_REMEDY = f"{MANUAL}/calibrate.md shows the fields; mend the line, or take it out"
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
        raise DatasetError(
            f"{path}: no labels", remedy=f"{MANUAL}/calibrate.md shows how to write one"
        )
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
    grade = strict_json.number(value)
    if grade is None:
        raise _wrong(where, "label", value, "must be true, false or a grade")
    judged = ALL_CRITERIA.get(criterion)
    if judged is not None and judged.lower_is_better:
        problem = f"{criterion} is better the lower it is, and a label says what is good"
        raise _wrong(where, "criterion", criterion, f"{problem}: label claim_precision")
    if judged is not None and not judged.low <= grade <= judged.high:
        scale = f"{judged.low:g} to {judged.high:g}"
        raise _wrong(where, "label", value, f"{criterion} goes from {scale}")
    if criterion in YES_OR_NO and grade not in (0, 1):
        raise _wrong(where, "label", value, f"{criterion} is true or false")
    return grade


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


# The file of review labels: JSON Lines, each one person's verdict on one pair of answers.


def labels_beside(dataset: Path) -> Path:
    """Return where a golden set's labels stand unless another file is named."""
    return dataset.parent / "review-labels.jsonl"


def read_review_labels(path: Path) -> list[ReviewLabel]:
    """Return the labels of a file, in order; empty lines are skipped, and the file may hold none.

    Raises:
        DatasetError: a line is no label, or one person said two things of one pair of answers;
            names line, field and value.
    """
    labels: list[ReviewLabel] = []
    places: dict[tuple[str, ...], str] = {}
    for number, row in read_lines(path, error=DatasetError, max_bytes=WHOLE_BYTES):
        where = f"{path}:{number}"
        label = _review_label(where, row)
        if (first := places.setdefault(label.subject, where)) != where:
            raise DatasetError(
                f"{where}: {shown(label.who)} has a label for these answers of "
                f"{shown(label.id)} at {first}",
                remedy="keep the line that is right, and take the other out",
            )
        labels.append(label)
    return labels


def add_review_labels(path: Path, labels: Sequence[ReviewLabel]) -> None:
    """Add labels at the end of a file; every line that is there stays byte for byte.

    Raises:
        DatasetError: the file is there and cannot be read.
        StorageError: it cannot be written; what was there is whole.
    """
    if not labels:
        return
    before = b""
    if path.exists():
        before = read_bytes(path, error=DatasetError, max_bytes=WHOLE_BYTES)
        before += b"" if before.endswith(b"\n") or not before else b"\n"
    lines = [canonical(label.model_dump(mode="json")).encode() + b"\n" for label in labels]
    write_atomic(path, before + b"".join(lines))


def read_given_labels(name: str, content: bytes) -> list[ReviewLabel]:
    """Return the labels in a file that somebody gives: of a page, or of saved comments.

    Lines that do not begin with ``{`` are no labels and are skipped: a comment says more.

    Raises:
        DatasetError: it holds no label, or a line that begins with ``{`` is none.
    """
    labels = []
    for number, line in enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), start=1):
        if line.lstrip().startswith(b"{"):
            where = f"{name}:{number}"
            labels.append(_review_label(where, loads(line, where=where, error=DatasetError)))
    if not labels:
        raise DatasetError(f"{name}: holds no label", remedy=_REMEDY)
    return labels


def merge_review_labels(path: Path, given: Iterable[ReviewLabel]) -> int:
    """Add what is new to a file of labels; return how many labels were added.

    What the same person said of the same outputs before is no news, in other words either.

    Raises:
        DatasetError: the file cannot be read, or a person said another thing of the same outputs;
            nothing is added then.
    """
    known = {label.subject: label for label in (read_review_labels(path) if path.exists() else [])}
    new: list[ReviewLabel] = []
    for label in given:
        before = known.setdefault(label.subject, label)
        if before is label:
            new.append(label)
        elif before.verdict is not label.verdict:
            raise DatasetError(
                f"{shown(label.who)} says {label.verdict} of {shown(label.id)}, and of the same "
                f"answers {before.verdict} before",
                remedy="keep the one that is right, and take the other out; nothing was added",
            )
    add_review_labels(path, new)
    return len(new)


def _review_label(where: str, row: Any) -> ReviewLabel:
    if not isinstance(row, dict):
        raise DatasetError(f"{where}: {shown(row)}: a label is an object", remedy=_REMEDY)
    for name in row:
        if name not in ReviewLabel.model_fields:
            near = nearest(name, ReviewLabel.model_fields)
            raise DatasetError(f"{where}: unknown field {shown(name)}{near}", remedy=_REMEDY)
    try:
        return ReviewLabel.model_validate(row)
    except ValidationError as error:
        fault = error.errors()[0]
        field = ".".join(map(str, fault["loc"]))
        if fault["type"] == "missing":
            raise DatasetError(f"{where}: {field!r} is missing", remedy=_REMEDY) from error
        wrong = f"{where}: {field} = {shown(row.get(field))}: {fault['msg']}"
        raise DatasetError(wrong, remedy=_REMEDY) from error
