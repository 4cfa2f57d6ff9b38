"""The golden set: a file or a folder of questions, read strictly."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ragate.dataset import beir, csv_table, jsonl, yaml_list
from ragate.dataset._edit import GoldenFile, open_golden
from ragate.dataset._labels import Label, read_labels
from ragate.dataset._review_labels import (
    add_review_label,
    labels_beside,
    merge_review_labels,
    read_given_labels,
    read_review_labels,
)
from ragate.dataset._rows import (
    MAX_BYTES,
    WHOLE_BYTES,
    Entries,
    Entry,
    Row,
    asked,
    entries_of,
)
from ragate.dataset._select import select
from ragate.dataset._values import IN_PARTS
from ragate.dataset._write import row_of, write_rows
from ragate.errors import DatasetError
from ragate.models import Sample

_READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": jsonl.rows,
    ".ndjson": jsonl.rows,
    ".json": jsonl.list_rows,
    ".csv": csv_table.rows,
    ".yaml": yaml_list.rows,
    ".yml": yaml_list.rows,
    ".tsv": beir.rows,
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
        for where, row in jsonl.each(path) if read is jsonl.rows else read(path):
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
        return beir.rows
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
            remedy="save it in one of these forms; a spreadsheet as .csv: docs/golden-set.md",
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
