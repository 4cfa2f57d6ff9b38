"""JSON Lines: one sample a line."""

from __future__ import annotations

from pathlib import Path

from ragate.dataset._rows import MAX_BYTES, samples_of
from ragate.errors import DatasetError
from ragate.models import Sample
from ragate.strict_json import read_lines


def read(path: Path) -> list[Sample]:
    """Return the samples of a JSON Lines file; empty lines are skipped.

    Raises:
        DatasetError: names the line.
    """
    lines = read_lines(path, error=DatasetError, max_bytes=MAX_BYTES)
    return samples_of(((f"{path}:{number}", row) for number, row in lines), path=path)
