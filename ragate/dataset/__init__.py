"""The golden set: a file or a folder of questions, read strictly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ragate.dataset import beir, csv_table, json_list, jsonl, yaml_list
from ragate.dataset._labels import Label, read_labels
from ragate.dataset._select import select
from ragate.errors import DatasetError
from ragate.models import Sample

__all__ = ["Label", "read_dataset", "read_labels", "select"]

_READERS: dict[str, Callable[[Path], list[Sample]]] = {
    ".jsonl": jsonl.read,
    ".ndjson": jsonl.read,
    ".json": json_list.read,
    ".csv": csv_table.read,
    ".yaml": yaml_list.read,
    ".yml": yaml_list.read,
    ".tsv": beir.read,
}


def read_dataset(path: Path) -> list[Sample]:
    """Return the samples of a golden set, in the order of the file.

    Args:
        path: A .jsonl, .json, .csv or .yaml file, a BEIR folder, or the qrels file of one.

    Raises:
        DatasetError: it cannot be read, or holds no sample, or a sample is wrong; names the line.
    """
    if path.is_dir():
        return beir.read(path)
    if not path.exists():
        raise DatasetError(
            f"{path}: there is no golden set",
            remedy="set [policy] dataset, or let `ragate init` write a first one",
        )
    read = _READERS.get(path.suffix.lower())
    if read is None:
        endings = ", ".join(_READERS)
        raise DatasetError(f"{path}: no reader for {path.suffix!r}; known: {endings}, or a folder")
    return read(path)
