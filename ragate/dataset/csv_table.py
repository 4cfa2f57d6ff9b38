"""CSV: a header, then one sample a row."""

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ragate.dataset._rows import FIELD_OF, MAX_BYTES, Row
from ragate.dataset._values import reads_like_prose
from ragate.errors import DatasetError
from ragate.support.foreign_files import text_lines
from ragate.support.strict_json import loads

_METADATA = "metadata."
_JSON = ("[", "{")


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a comma-separated file; an empty cell is no value.

    In a cell of ``relevant``, document ids are separated by semicolons, as are keywords; a cell of
    these, of ``references`` or ``source_policy`` that begins with a bracket is JSON. A column
    ``metadata.x`` is metadata.

    Raises:
        DatasetError: names the line on which the row begins.
    """
    with closing(text_lines(path, error=DatasetError, max_bytes=MAX_BYTES)) as text:
        lines = csv.reader(text, strict=True)
        try:
            yield from _rows(path, lines)
        except csv.Error as error:
            raise DatasetError(f"{path}:{lines.line_num}: not CSV: {error}") from error


def _rows(path: Path, rows: Any) -> Iterator[Row]:
    header: list[str] | None = None
    start = 1
    for cells in rows:
        where, start = f"{path}:{start}", rows.line_num + 1
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _header(where, cells)
        elif len(cells) != len(header):
            raise DatasetError(
                f"{where}: {len(cells)} cells, and the header has {len(header)}",
                remedy='put a cell that holds a comma in "quotes"',
            )
        else:
            yield where, _fields(where, dict(zip(header, cells, strict=True)))


def _header(where: str, cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    twice = {name for name in header if header.count(name) > 1}
    if twice:
        raise DatasetError(f"{where}: column {min(twice)!r} stands twice")
    if len(header) == 1 and ";" in header[0]:
        raise DatasetError(
            f"{where}: cells must be separated by commas, not semicolons",
            remedy="save the table as CSV with commas (a spreadsheet asks for the separator)",
        )
    return header


def _fields(where: str, row: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    metadata = {}
    for name, cell in row.items():
        if name.startswith(_METADATA):
            if cell:
                metadata[name.removeprefix(_METADATA)] = cell
        else:
            fields[name] = _value(where, name, cell) if cell.strip() else None
    if metadata:
        fields["metadata"] = metadata
    return fields


def _value(where: str, name: str, cell: str) -> Any:
    field = FIELD_OF.get(name)
    lists = {"relevant", "references", "answer_keywords", "source_policy"}
    is_json = field in lists and cell.lstrip().startswith(_JSON)
    if is_json or field in {"metadata", "evidence", "messages", "tools", "expected_calls"}:
        return loads(cell, where=f"{where}: {name}", error=DatasetError)
    if field == "relevant" and not reads_like_prose(cell):
        return [doc_id.strip() for doc_id in cell.split(";") if doc_id.strip()]
    return cell
