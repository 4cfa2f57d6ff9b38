"""Files of records that other tools wrote: JSON Lines, a JSON list or table, CSV."""

import ast
import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import RagateError
from ragate.support.foreign_files import read_bytes, read_text
from ragate.support.pointer import PointerError, one
from ragate.support.settings import shown
from ragate.support.strict_json import canonical, loads, read_lines

MAX_BYTES = 256 * 1024 * 1024  # of a file that is read as a whole; JSON Lines are read line by line
MAX_LINES_BYTES = 2 * 1024**3
LINES = frozenset({".jsonl", ".ndjson"})
ENDINGS = (".jsonl", ".ndjson", ".json", ".csv")

Record = tuple[str, Mapping[str, Any]]  # its place, and its fields


def records(
    path: Path, *, error: type[RagateError], inside: str = "", max_bytes: int = MAX_BYTES
) -> Iterator[Record]:
    """Yield the objects of a .jsonl, .json or .csv file; empty cells of a table are left out.

    A JSON file holds a list of objects, or one object of columns as pandas writes it.

    Args:
        inside: Pointer to the list of a JSON file; "" for the file itself.

    Raises:
        error: names the line or the number of the record.
    """
    ending = path.suffix.lower()
    if ending in LINES:
        limit = max(max_bytes, MAX_LINES_BYTES) if max_bytes == MAX_BYTES else max_bytes
        lines = read_lines(path, error=error, max_bytes=limit)
        rows: Iterator[tuple[str, Any]] = ((f"{path}:{number}", row) for number, row in lines)
    elif ending == ".csv":
        rows = _csv_rows(path, error, max_bytes)
    elif ending == ".json":
        rows = _json_rows(path, error, inside, max_bytes)
    else:
        raise error(f"{path}: no reader for {path.suffix!r}; known: {', '.join(ENDINGS)}")
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise error(f"{where}: {shown(row)}: must be an object")
        yield where, row


def _csv_rows(path: Path, error: type[RagateError], max_bytes: int) -> Iterator[tuple[str, Any]]:
    text = read_text(path, error=error, max_bytes=max_bytes)
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in rows:
            where = f"{path}:{rows.line_num}"
            if None in row or None in row.values():
                raise error(f"{where}: has another number of cells than the header")
            yield where, {name: cell for name, cell in row.items() if cell != ""}
    except csv.Error as problem:
        raise error(f"{path}:{rows.line_num}: not CSV: {problem}") from problem


def _json_rows(
    path: Path, error: type[RagateError], inside: str, max_bytes: int
) -> Iterator[tuple[str, Any]]:
    value = json_value(path, error=error, max_bytes=max_bytes)
    if inside:
        try:
            value = one(value, inside)
        except PointerError as problem:
            raise error(f"{path}: {problem}") from problem
    elif is_table(value):
        numbers = next(iter(value.values())).keys()
        value = [{name: column.get(n) for name, column in value.items()} for n in numbers]
    if not isinstance(value, list):
        fields = f", and has {', '.join(map(str, value))}" if isinstance(value, Mapping) else ""
        raise error(f"{path}: must hold a list of objects{fields[:200]}")
    for number, row in enumerate(value, start=1):
        yield f"{path}: record {number}", row


def is_table(value: Any) -> bool:
    """Return whether a value is a table by columns, each an object by the rows' numbers."""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(column, Mapping) and column for column in value.values())
        and all(str(key).isdecimal() for column in value.values() for key in column)
    )


def json_value(path: Path, *, error: type[RagateError], max_bytes: int = MAX_BYTES) -> Any:
    """Return the value of a JSON file."""
    content = read_bytes(path, error=error, max_bytes=max_bytes)
    return loads(content, where=str(path), error=error)


def parsed_cell(cell: Any) -> Any:
    """Return the list or object that a cell holds as text, as JSON or Python write it, else itself.

    Tables hold nested values as text: pandas writes them as Python does.
    """
    if not isinstance(cell, str) or cell.lstrip()[:1] not in {"[", "{"}:
        return cell
    try:
        return loads(cell, where="", error=RagateError)
    except RagateError:
        pass
    try:
        value = ast.literal_eval(cell.strip())
        # Python knows more than JSON does: bytes, sets, infinities, halves of characters.
        text = canonical(value) if isinstance(value, list | dict) else ""
        return loads(text.encode(), where="", error=RagateError) if text else cell
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, RagateError):
        return cell
