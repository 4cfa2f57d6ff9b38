"""The golden set: a file or a folder of questions, read strictly.

A path goes in, samples come out, or entries with their places in the file. `ragate/tables` opens
the file; read `_rows.py` for how a row becomes a sample, and `edit.py` for how one is written.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ragate.core.conditions import read_conditions, refuse_unknown
from ragate.dataset._rows import (
    MAX_BYTES,
    WHOLE_BYTES,
    Entries,
    Entry,
    Row,
    asked,
    entries_of,
    of_cells,
)
from ragate.dataset._values import IN_PARTS
from ragate.errors import DatasetError, UsageError
from ragate.files.foreign_files import open_regular
from ragate.files.strict_json import loads
from ragate.models import Filters, Sample
from ragate.tables.containers import ENDINGS, LINES, YAML, open_container, rows_of
from ragate.version import MANUAL


def _jsonl_or_errors(path: Path) -> Iterator[tuple[str, Any | DatasetError]]:
    """Yield the rows of JSON Lines, and in place of a line that cannot be read, its error."""
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        for number, line in enumerate(file, start=1):
            where = f"{path}:{number}"
            if not line.strip():
                continue
            try:
                yield where, loads(line, where=where, error=DatasetError)
            except DatasetError as error:
                yield where, error


def _rows_in(path: Path) -> Iterator[Row]:
    """Yield the rows of a golden set, each with its place.

    Raises:
        DatasetError: it cannot be read; names the line.
    """
    if _is_beir(path):
        from ragate.dataset import beir

        yield from beir.rows(path)
        return
    opened = open_container(path, most=WHOLE_BYTES, most_lines=MAX_BYTES)
    for where, row in rows_of(opened, error=DatasetError, noun="sample"):
        yield where, of_cells(where, row) if opened.of_cells else row


def _is_beir(path: Path) -> bool:
    """Whether a folder, or a file of judgements whose questions stand beside its folder."""
    from ragate.dataset import beir

    may_be = path.suffix in beir.ENDINGS
    return path.is_dir() or (may_be and beir.questions_of(path.parent.parent) is not None)


def read_dataset(path: Path) -> Sequence[Sample]:
    """Return the samples of a golden set, in the order of the file, without drafts.

    Args:
        path: A file of rows (`ragate.tables.containers`), a BEIR folder, or the qrels file of one.

    Raises:
        DatasetError: it cannot be read, or holds no sample, or a sample is wrong; names the line.
    """
    return asked(entries_of(_checked(path), path=path), path=path)


def read_entries(path: Path) -> list[Entry]:
    """Return the samples with their places, drafts included; otherwise as `read_dataset`."""
    return list(entries_of(_checked(path), path=path))


def inspect_entries(path: Path) -> tuple[list[Entry], list[DatasetError]]:
    """Return all that can be read, and all that cannot: one wrong row hides no other.

    In a format other than JSON Lines, reading ends where the file is no longer in its format.
    """
    entries, errors = Entries(path), []
    readable: list[Entry] = []
    try:
        rows = _checked(path)
        for where, row in _jsonl_or_errors(path) if path.suffix.lower() in LINES else rows:
            try:
                if isinstance(row, DatasetError):
                    raise row
                readable.append(entries.read(where, row))
            except DatasetError as error:
                errors.append(error)
    except DatasetError as error:
        errors.append(error)
    if not readable and not errors:
        errors.append(DatasetError(f"{path}: no samples"))
    return readable, errors


def _checked(path: Path) -> Iterator[Row]:
    """Return the rows of a path that may be a golden set."""
    if not path.is_dir():
        if not path.exists():
            raise DatasetError(
                f"{path}: there is no golden set",
                remedy="set [policy] dataset, or let `ragate init` write a first one",
            )
        if path.suffix.lower() not in ENDINGS and not _is_beir(path):
            raise DatasetError(
                f"{path}: no reader for {path.suffix!r}; known: {', '.join(ENDINGS)}, or a folder",
                remedy="save it in one of these forms; a spreadsheet as .csv: "
                f"{MANUAL}/golden-set.md",
            )
        _refuse_large(path)
    return _rows_in(path)


def _refuse_large(path: Path) -> None:
    whole = path.suffix.lower() in {".json", *YAML}
    size, most = path.stat().st_size, WHOLE_BYTES if whole else MAX_BYTES
    if size > most:
        raise DatasetError(
            f"{path}: {size:,} bytes, and the limit is {most:,}",
            remedy=f"save it as .jsonl, which may have {MAX_BYTES:,}" if whole else IN_PARTS,
        )


def select(samples: Sequence[Sample], filters: Filters) -> Sequence[Sample]:
    """Return the samples that pass every filter, in the order of the golden set.

    A sample passes ``tags`` when it has any of them, and ``where`` when it meets every condition;
    ``limit`` is applied last.

    Raises:
        UsageError: an id, a tag or a metadata field is nowhere in the golden set, a condition is
            none, or no sample is left.
    """
    if not filters.narrows:
        return samples
    refuse_unknown("id", filters.ids, [sample.id for sample in samples])
    conditions = read_conditions(filters.tags, filters.where)
    conditions.refuse_unknown(samples)
    ids = set(filters.ids)
    passing = (
        sample for sample in samples if (not ids or sample.id in ids) and conditions.fit(sample)
    )
    selected = list(islice(passing, filters.limit))
    if not selected:
        raise UsageError(
            "the filters leave no sample", remedy="--ids, --tags and --where must all fit"
        )
    return selected
