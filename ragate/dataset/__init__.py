"""The golden set: a file or a folder of questions, read strictly.

A path goes in, samples come out, or entries with their places in the file. Read this module for the
formats, `_rows.py` for how a row becomes a sample, and `edit.py` for how one is written.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ragate.core.conditions import read_conditions, refuse_unknown
from ragate.dataset._rows import MAX_BYTES, WHOLE_BYTES, Entries, Entry, Row, asked, entries_of
from ragate.dataset._values import IN_PARTS
from ragate.errors import DatasetError, UsageError
from ragate.models import Filters, Sample
from ragate.support.foreign_files import open_regular, read_bytes
from ragate.support.spill import Spill
from ragate.support.strict_json import loads, read_lines
from ragate.version import MANUAL


def _jsonl_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a JSON Lines file; empty lines are skipped.

    Raises:
        DatasetError: names the line.
    """
    for number, row in read_lines(path, error=DatasetError, max_bytes=MAX_BYTES):
        yield f"{path}:{number}", row


def _jsonl_or_errors(path: Path) -> Iterator[tuple[str, Any | DatasetError]]:
    """Yield the rows like `_jsonl_rows`, and in place of a line that cannot be read, its error."""
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        for number, line in enumerate(file, start=1):
            where = f"{path}:{number}"
            if not line.strip():
                continue
            try:
                yield where, loads(line, where=where, error=DatasetError)
            except DatasetError as error:
                yield where, error


def _json_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a JSON file that holds a list.

    Raises:
        DatasetError: names the sample by its number, since JSON keeps no lines.
    """
    content = read_bytes(path, error=DatasetError, max_bytes=WHOLE_BYTES)
    values = loads(content, where=str(path), error=DatasetError)
    if not isinstance(values, list):
        raise DatasetError(
            f"{path}: must hold a list of samples", remedy="one sample a line is a .jsonl file"
        )
    for number, value in enumerate(values, start=1):
        yield f"{path}: sample {number}", value  # type: ignore[misc]  # checked row by row


def _csv_rows(path: Path) -> Iterator[Row]:
    from ragate.dataset import csv_table

    return csv_table.rows(path)


def _beir_rows(path: Path) -> Iterator[Row]:
    from ragate.dataset import beir

    return beir.rows(path)


def _yaml_rows(path: Path) -> Iterator[Row]:
    from ragate.dataset import yaml_list

    return yaml_list.rows(path)


_READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": _jsonl_rows,
    ".ndjson": _jsonl_rows,
    ".json": _json_rows,
    ".csv": _csv_rows,
    ".yaml": _yaml_rows,
    ".yml": _yaml_rows,
    ".tsv": _beir_rows,
}
_READ_WHOLE = frozenset({".json", ".yaml", ".yml"})


def read_dataset(path: Path) -> Sequence[Sample]:
    """Return the samples of a golden set, in the order of the file, without drafts.

    Args:
        path: A .jsonl, .json, .csv or .yaml file, a BEIR folder, or the qrels file of one.

    Raises:
        DatasetError: it cannot be read, or holds no sample, or a sample is wrong; names the line.
    """
    return asked(entries_of(_reader(path)(path), path=path), path=path)


def read_entries(path: Path) -> list[Entry]:
    """Return the samples with their places, drafts included; otherwise as `read_dataset`."""
    return list(entries_of(_reader(path)(path), path=path))


def inspect_entries(path: Path) -> tuple[list[Entry], list[DatasetError]]:
    """Return all that can be read, and all that cannot: one wrong row hides no other.

    In a format other than JSON Lines, reading ends where the file is no longer in its format.
    """
    entries, errors = Entries(path), []
    readable: list[Entry] = []
    try:
        read = _reader(path)
        for where, row in _jsonl_or_errors(path) if read is _jsonl_rows else read(path):
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


def _reader(path: Path) -> Callable[[Path], Iterator[Row]]:
    if path.is_dir():
        return _beir_rows
    if not path.exists():
        raise DatasetError(
            f"{path}: there is no golden set",
            remedy="set [policy] dataset, or let `ragate init` write a first one",
        )
    read = _READERS.get(path.suffix.lower())
    if read is None:
        endings = ", ".join(_READERS)
        raise DatasetError(
            f"{path}: no reader for {path.suffix!r}; known: {endings}, or a folder",
            remedy=f"save it in one of these forms; a spreadsheet as .csv: {MANUAL}/golden-set.md",
        )
    _refuse_large(path)
    return read


def _refuse_large(path: Path) -> None:
    whole = path.suffix.lower() in _READ_WHOLE
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
    selected = Spill(Sample, islice(passing, filters.limit))
    if not selected:
        raise UsageError(
            "the filters leave no sample", remedy="--ids, --tags and --where must all fit"
        )
    return selected
