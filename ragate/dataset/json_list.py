"""JSON: one list of samples."""

from collections.abc import Iterator
from pathlib import Path

from ragate.dataset._rows import MAX_BYTES, Row
from ragate.errors import DatasetError
from ragate.support.foreign_files import read_bytes
from ragate.support.strict_json import loads


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a JSON file that holds a list.

    Raises:
        DatasetError: names the sample by its number, since JSON keeps no lines.
    """
    content = read_bytes(path, error=DatasetError, max_bytes=MAX_BYTES)
    values = loads(content, where=str(path), error=DatasetError)
    if not isinstance(values, list):
        raise DatasetError(
            f"{path}: must hold a list of samples", remedy="one sample a line is a .jsonl file"
        )
    for number, value in enumerate(values, start=1):
        yield f"{path}: sample {number}", value  # type: ignore[misc]  # checked row by row
