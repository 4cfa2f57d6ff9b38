"""JSON Lines: one sample a line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragate.dataset._rows import MAX_BYTES, Row
from ragate.errors import DatasetError
from ragate.support.foreign_files import open_regular
from ragate.support.strict_json import loads, read_lines


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a JSON Lines file; empty lines are skipped.

    Raises:
        DatasetError: names the line.
    """
    for number, row in read_lines(path, error=DatasetError, max_bytes=MAX_BYTES):
        yield f"{path}:{number}", row


def each(path: Path) -> Iterator[tuple[str, Any | DatasetError]]:
    """Yield the rows like `rows`, and in place of a line that cannot be read, its error."""
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        for number, line in enumerate(file, start=1):
            where = f"{path}:{number}"
            if not line.strip():
                continue
            try:
                yield where, loads(line, where=where, error=DatasetError)
            except DatasetError as error:
                yield where, error
