"""JSON Lines: one sample a line; or JSON: one list of samples."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragate.dataset._rows import MAX_BYTES, WHOLE_BYTES, Row
from ragate.errors import DatasetError
from ragate.support.foreign_files import open_regular, read_bytes
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


def list_rows(path: Path) -> Iterator[Row]:
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
