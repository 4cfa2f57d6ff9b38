"""The file of review labels: JSON Lines, one person's word on one pair of answers each."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragate.dataset._rows import WHOLE_BYTES
from ragate.errors import DatasetError
from ragate.models import ReviewLabel
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_bytes
from ragate.support.settings import nearest, shown
from ragate.support.strict_json import canonical, loads, read_lines

_REMEDY = "docs/review.md shows the fields; mend the line, or take it out"


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
        label = _label(where, row)
        if (first := places.setdefault(label.subject, where)) != where:
            raise DatasetError(
                f"{where}: {shown(label.who)} has a label for these answers of "
                f"{shown(label.id)} at {first}",
                remedy="keep the line that is right, and take the other out",
            )
        labels.append(label)
    return labels


def add_review_label(path: Path, label: ReviewLabel) -> None:
    """Add one label at the end of a file; every line that is there stays byte for byte.

    Raises:
        DatasetError: the file is there and cannot be read.
        StorageError: it cannot be written; what was there is whole.
    """
    _append(path, [label])


def _append(path: Path, labels: Sequence[ReviewLabel]) -> None:
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
            labels.append(_label(where, loads(line, where=where, error=DatasetError)))
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
    _append(path, new)
    return len(new)


def _label(where: str, row: Any) -> ReviewLabel:
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
