"""JSON: one list of samples."""

from __future__ import annotations

from pathlib import Path

from ragate.dataset._rows import MAX_BYTES, samples_of
from ragate.errors import DatasetError
from ragate.files import read_bytes
from ragate.models import Sample
from ragate.strict_json import loads


def read(path: Path) -> list[Sample]:
    """Return the samples of a JSON file that holds a list.

    Raises:
        DatasetError: names the sample by its number, since JSON keeps no lines.
    """
    content = read_bytes(path, error=DatasetError, max_bytes=MAX_BYTES)
    rows = loads(content, where=str(path), error=DatasetError)
    if not isinstance(rows, list):
        raise DatasetError(
            f"{path}: must hold a list of samples", remedy="one sample a line is a .jsonl file"
        )
    numbered = ((f"{path}: sample {n}", row) for n, row in enumerate(rows, start=1))
    return samples_of(numbered, path=path)  # type: ignore[arg-type]  # checked row by row
