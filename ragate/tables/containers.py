"""Files of rows: JSON Lines, JSON, CSV, Parquet and YAML, known by what is in them.

A name says little: JSON Lines may well end in .json, and a table be separated by semicolons.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError, RagateError
from ragate.files.foreign_files import first_bytes, open_regular, read_bytes, text_lines
from ragate.files.pointer import PointerError, one
from ragate.files.strict_json import loads, read_lines
from ragate.settings import shown
from ragate.tables.cells import parsed_cell

MAX_BYTES = 256 * 1024 * 1024  # of a file that is read as a whole
MAX_LINES_BYTES = 2 * 1024**3  # of one that is read row by row
LINES = (".jsonl", ".ndjson")
YAML = (".yaml", ".yml")
ENDINGS = (*LINES, ".json", ".csv", ".tsv", ".parquet", *YAML)
# Under which names an object holds its list of rows, as tools write it and their APIs answer.
WRAPPERS = (
    *("results", "outputs", "data", "traces", "examples", "spans", "rows", "records", "samples"),
    *("items", "questions", "goldens", "testRunData", "testCases", "test_cases", "tests"),
)

Record = tuple[str, Mapping[str, Any]]  # its place, and its fields
# What pandas writes above the numbers of its rows: a name that nobody gave.
_UNNAMED = re.compile(r"(Unnamed: \d+)?")
_RUN = re.compile(rb"\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+\S+")  # of TREC
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_MOST_TITLES = 20  # lines above the header of a table
_QUOTED = re.compile(r'"[^"]*"')
_MOST_OF_START = 64 * 1024
_POINTER = b"version https://git-lfs.github.com/spec/"
_INVISIBLE = " \t\r\n\xa0\u200b\ufeff"  # round the name of a column


@dataclass(frozen=True)
class Container:
    """A file that is open.

    Attributes:
        kind: ``lines``, ``table``, ``value`` (of JSON) or ``yaml``.
        rows: Of lines and tables, each with its place; what a line holds may be anything.
        value: Of the other two, what the file holds.
        lines: Of YAML, the line of each item of its list.
        separator: Of a table of text.
    """

    path: Path
    kind: str
    rows: Iterator[tuple[str, Any]] = field(default_factory=lambda: iter(()))
    value: Any = None
    lines: tuple[int, ...] = ()
    separator: str = ""

    @property
    def of_cells(self) -> bool:
        """Whether every value is a text, since a cell of text can be nothing else."""
        return bool(self.separator)


def open_container(
    path: Path,
    *,
    error: type[RagateError] = DatasetError,
    most: int = MAX_BYTES,
    most_lines: int = MAX_LINES_BYTES,
    has_nan: bool = False,
    any_name: bool = False,
) -> Container:
    """Open a file of rows.

    Args:
        most: Bytes of a file that is read as a whole; most_lines: of one that is read by rows.
        has_nan: NaN and the infinities are read, as some tools write them into JSON.
        any_name: The ending says nothing at all.

    Raises:
        error: it cannot be read, or is of no kind that is known; reading on raises the same.
    """
    ending = "" if any_name else path.suffix.lower()
    try:
        start = first_bytes(path, _MOST_OF_START)
    except (OSError, ValueError):
        start = read_bytes(path, error=error, max_bytes=most)[:_MOST_OF_START]  # says why
    _refuse_other_content(path, start, error)
    if start[:4] == b"PAR1":
        return Container(path, "table", rows=_parquet(path, error))
    if ending in YAML:
        from ragate.tables import yaml_list

        value, numbers = yaml_list.load(path, error=error, most=most)
        return Container(path, "yaml", value=value, lines=tuple(numbers))
    text = start.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    is_json = text[:1] in {"{", "["} or (ending == ".json" and not text)
    if ending in LINES or (is_json and _has_lines(path, error, most_lines)):
        rows = read_lines(path, error=error, max_bytes=most_lines, has_nan=has_nan)
        return Container(path, "lines", rows=((f"{path}:{number}", row) for number, row in rows))
    if is_json or ending == ".json":
        content = read_bytes(path, error=error, max_bytes=most)
        whole = loads(content, where=str(path), error=error, has_nan=has_nan)
        return Container(path, "value", value=whole)
    if _RUN.match(start):
        lines_of_run = text_lines(path, error=error, max_bytes=most_lines)
        return Container(path, "lines", rows=_run(path, lines_of_run, error))
    if ending not in ENDINGS and ending not in {"", ".txt"}:
        raise error(f"{path}: no reader for {path.suffix!r}; known: {', '.join(ENDINGS)}")
    separator, lines = _separator(path, _text_lines(path, start, error, most_lines), error)
    rows_of_cells = _cells(path, lines, separator, error)
    return Container(path, "table", rows=rows_of_cells, separator=separator)


def _refuse_other_content(path: Path, start: bytes, error: type[RagateError]) -> None:
    """Refuse what stands in place of a file that was not brought here."""
    if start.startswith(_POINTER):
        raise error(f"{path}: a pointer of Git LFS, and not the file", remedy="git lfs pull")
    if re.match(rb"\s*<[^<]", start):  # and no mark of a merge
        raise error(
            f"{path}: begins like a page of HTML or XML, and is no table",
            remedy="download the file itself: this may be a page that asks for a login",
        )


def records(
    path: Path, *, error: type[RagateError], inside: str = "", max_bytes: int = MAX_BYTES
) -> Iterator[Record]:
    """Yield the objects of a file of rows; what a table leaves empty is left out.

    A cell of text that holds a list or an object is that.

    JSON and YAML hold a list of objects, an object with such a list under a usual name, or a table
    as pandas writes it.

    Args:
        inside: Pointer to the list of a JSON file; "" for the file itself.

    Raises:
        error: names the line or the number of the record.
    """
    lines = MAX_LINES_BYTES if max_bytes == MAX_BYTES else max_bytes
    opened = open_container(path, error=error, most=max_bytes, most_lines=lines)
    for where, row in rows_of(opened, error=error, inside=inside):
        if not isinstance(row, Mapping):
            raise error(f"{where}: {shown(row)}: must be an object")
        if opened.kind == "table":
            filled = {name: cell for name, cell in row.items() if cell is not None}
            row = {k: parsed_cell(v) for k, v in filled.items()} if opened.of_cells else filled
        yield where, row


def rows_of(
    opened: Container, *, error: type[RagateError], inside: str = "", noun: str = "record"
) -> Iterator[tuple[str, Any]]:
    """Yield what a container holds, row by row, each with its place.

    Raises:
        error: it holds no rows.
    """
    path = opened.path
    if opened.kind in {"lines", "table"}:
        yield from opened.rows
        return
    value = opened.value
    if inside:
        try:
            value = one(value, inside)
        except PointerError as problem:
            raise error(f"{path}: {problem}") from problem
    listed = value if isinstance(value, list) else listed_in(value)
    if listed is None:
        fields = f", and has {', '.join(map(str, value))}" if isinstance(value, Mapping) else ""
        raise error(f"{path}: must hold a list of objects{fields[:200]}")
    has_lines = listed is opened.value and len(opened.lines) == len(listed)
    for number, row in enumerate(listed, start=1):
        yield f"{path}:{opened.lines[number - 1]}" if has_lines else f"{path}: {noun} {number}", row


def listed_in(value: Any) -> list[Any] | None:
    """Return the rows of an object: under a usual name, or of a table; None where it has none."""
    for _ in range(3):  # {"results": {"results": [...]}}
        if isinstance(value, list):
            return value
        if not isinstance(value, Mapping):
            return None
        if (table := _table_in(value)) is not None:
            return table
        inner = [value[name] for name in WRAPPERS if isinstance(value.get(name), list | dict)]
        lists = [each for each in value.values() if _is_of_objects(each)]
        value = inner[0] if inner else lists[0] if len(lists) == 1 else None
    return None


def _is_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _table_in(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the rows of a table as pandas and data sets write it; None where it is none.

    By columns (lists, or objects by the rows' numbers), by rows under their numbers or ids, or
    ``columns`` beside ``data``.
    """
    columns, data = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(data, list):
        fits = all(isinstance(row, list) and len(row) == len(columns) for row in data)
        return [dict(zip(map(str, columns), row, strict=True)) for row in data] if fits else None
    cells = list(value.values())
    if len(cells) > 1 and all(isinstance(column, list) for column in cells):
        lengths = {len(column) for column in cells}  # one column would be any object with a list
        if len(lengths) == 1 and lengths != {0}:
            return [dict(zip(value, row, strict=True)) for row in zip(*cells, strict=True)]
    if not cells or not all(isinstance(cell, Mapping) and cell for cell in cells):
        return None
    if all(str(key).isdecimal() for cell in cells for key in cell):
        numbers = dict.fromkeys(number for column in cells for number in column)
        return [{name: value[name].get(number) for name in value} for number in numbers]
    shared = set(cells[0]).intersection(*cells)
    if all(str(key).isdecimal() for key in value):
        return cells
    # Rows by their ids: the same fields each, of which one has a name that is known.
    from ragate.tables.names import part_of

    if any(part_of(name) == "query" for name in shared) and len(cells) > 1:
        return [row if "id" in row else {"id": key, **row} for key, row in value.items()]
    return None


def without_row_numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a name: what numbers the rows of a table is no field of them."""
    return {name: value for name, value in row.items() if not _UNNAMED.fullmatch(str(name))}


def _has_lines(path: Path, error: type[RagateError], most: int) -> bool:
    """Return whether a file of JSON has one value a line.

    A single line is one value, unless the file's name says lines and no list stands in it.
    """
    with open_regular(path, error=error, max_bytes=most) as file:
        first = next((line for line in file if line.strip()), b"")
        alone = not any(line.strip() for line in file)
    if first.lstrip()[:1] == b"[" or (alone and path.suffix.lower() not in LINES):
        return False
    try:
        value = loads(first, where=str(path), error=error, has_nan=True)
    except RagateError:
        return False
    return not alone or listed_in(value) is None


def _run(path: Path, lines: Iterator[str], error: type[RagateError]) -> Iterator[Record]:
    """Yield what a run of TREC retrieved, question by question, best first."""
    ranked: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, line in enumerate(lines, start=1):
        try:
            query, _, doc_id, rank, score, _ = line.split()
            chunk = {"doc_id": doc_id, "score": float(score)}
            ranked.setdefault(query, []).append((int(rank), chunk))
        except ValueError as problem:
            raise error(
                f"{path}:{number}: {shown(line.strip())}: a line of a run is query, Q0, document, "
                "rank, score and a name"
            ) from problem
    for query, chunks in ranked.items():
        best_first = [chunk for _, chunk in sorted(chunks, key=lambda pair: pair[0])]
        yield f"{path}: query {query}", {"id": query, "chunks": best_first}


# Tables of text.


def _text_lines(path: Path, start: bytes, error: type[RagateError], most: int) -> Iterator[str]:
    """Yield the lines of a table; UTF-16, which spreadsheets write, has a mark at its beginning."""
    if start[:2] not in _WIDE:
        return text_lines(path, error=error, max_bytes=most)
    try:
        text = read_bytes(path, error=error, max_bytes=MAX_BYTES).decode("utf-16")
    except UnicodeDecodeError as problem:
        raise error(f"{path}: is no UTF-16: {problem}", remedy="save it as UTF-8") from problem
    return iter(io.StringIO(text, newline=""))


def _separator(
    path: Path, lines: Iterator[str], error: type[RagateError]
) -> tuple[str, Iterator[str]]:
    """Return what divides the cells of the header: commas, semicolons or tabs; and all lines.

    A title above the header, as spreadsheets have it, is an empty line.
    """
    skipped: list[str] = []
    for line in lines:
        skipped.append(line)
        if line.strip():
            break
    header = skipped[-1] if skipped else ""
    if len(_names_in(header)) == 1:
        further = list(islice(lines, _MOST_TITLES))
        named_at = next((at for at, line in enumerate(further) if _is_header(line)), None)
        if named_at is None:
            lines = chain(further, lines)
        else:
            skipped = ["\n"] * (len(skipped) + named_at) + [further[named_at]]
            header, lines = further[named_at], chain(further[named_at + 1 :], lines)
    if "\0" in header:
        raise error(f"{path}:1: holds NUL characters", remedy="save the table as UTF-8")
    named = re.fullmatch(r"sep=(.)\s*", header)  # for spreadsheets
    if named is not None:
        return named[1], chain(["\n"] * len(skipped), lines)
    return _divider(header), chain(skipped, lines)


def _divider(header: str) -> str:
    return max(",;\t|", key=_QUOTED.sub("", header).count)


def _names_in(line: str) -> list[str]:
    """Return the cells of a line that hold something."""
    cells = (cell.strip(_INVISIBLE + '"') for cell in line.split(_divider(line)))
    return [cell for cell in cells if cell]


def _is_header(line: str) -> bool:
    """Whether a line names a column for questions or ids, beside others."""
    from ragate.tables.names import part_of

    names = _names_in(line)
    return len(names) > 1 and any(part_of(name) in {"id", "query"} for name in names)


def _cells(
    path: Path, lines: Iterator[str], separator: str, error: type[RagateError]
) -> Iterator[Record]:
    """Yield the rows of a table, each with the line on which it begins; an empty cell is null.

    Raises:
        error: a row has other cells than the header, or the header has a name twice.
    """
    rows = csv.reader(lines, delimiter=separator, strict=True)
    header: list[str] | None = None
    twice: list[tuple[int, int]] = []
    start = 1
    try:
        for cells in rows:
            where, start = f"{path}:{start}", rows.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = [cell.strip(_INVISIBLE) for cell in cells]
                twice = [(at, header.index(name)) for at, name in enumerate(header) if name]
                twice = [(at, first) for at, first in twice if at != first]
            elif len(cells) != len(header):
                remedy = 'put a cell that holds a comma in "quotes"; else the file was cut off'
                raise error(
                    f"{where}: {len(cells)} cells, and the header has {len(header)}", remedy=remedy
                )
            else:
                for at, first in twice:  # an index beside itself is no other column
                    if cells[at] != cells[first]:
                        raise error(
                            f"{where}: column {header[at]!r} stands twice, with other cells",
                            remedy="rename one of the two",
                        )
                pairs = zip(header, cells, strict=True)
                yield where, {name: cell if cell.strip() else None for name, cell in pairs}
    except csv.Error as problem:
        raise error(f"{path}:{rows.line_num}: not CSV: {problem}") from problem


def _parquet(path: Path, error: type[RagateError]) -> Iterator[tuple[str, Any]]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise error(
            f"{path}: Parquet, which needs pyarrow",
            remedy="pip install pyarrow, or write it as CSV: to_csv(path, index=False)",
        ) from None
    number = 0
    try:
        with closing(parquet.ParquetFile(path)) as file:
            for batch in file.iter_batches():
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path}: record {number}", row
    except (ArrowException, OSError) as problem:
        raise error(f"{path}: Parquet that cannot be read: {problem}") from problem
