"""Opening a file of scores by what is in it: JSON, JSON Lines, a table, XML, or a log of Inspect.

Its name says nothing: a file of JSON Lines may well end in .json. Numbers that JSON does not know
(NaN, Infinity), which tools write all the same, are read as what they are: no score.
"""

import csv
import hashlib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from xml.parsers import expat

from ragate.errors import DatasetError
from ragate.files.foreign_files import (
    decode,
    first_bytes,
    open_regular,
    read_bytes,
    text_lines,
)
from ragate.files.strict_json import loads
from ragate.scores.rewrites import metric_and_score
from ragate.settings import shown
from ragate.tables.containers import Container, open_container

Record = tuple[str, Mapping[str, Any]]  # its place, and its fields

MAX_BYTES = 1024**3  # of a file that is read line by line
MAX_WHOLE = 384 * 1024**2  # of one that is read as a whole
MOST_UNPACKED = 1024**3
_MOST_MEMBERS = 200_000
_NO_BOMB = 200  # times as large as packed, for a member of more than a megabyte
ENDINGS = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".eval", ".parquet"})


@dataclass(frozen=True)
class ScoreFile:
    """A file that is open: what it says of itself, and its records.

    Attributes:
        kind: ``json``, ``lines``, ``table``, ``xml`` or ``eval``.
        head: What stands around the records: an object of JSON, the header of a log; else empty.
        records: Of ``json`` with a head none: where they stand is the tool's.
    """

    path: Path
    kind: str
    head: Mapping[str, Any] = field(default_factory=dict)
    records: Iterator[Record] = field(default_factory=lambda: iter(()))


def open_scores(path: Path) -> ScoreFile:
    """Open a file.

    Raises:
        DatasetError: it is empty, cut off, or of no kind that is read; names the place.
    """
    start = _start_of(path)
    if start[:2] == b"PK":
        return _log(path)
    text = start.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if not text:
        raise DatasetError(f"{path}: is empty", remedy="did the evaluation run to its end?")
    if text.startswith("<"):
        return ScoreFile(path, "xml", records=_tests(path))
    if "Named Scores" in text.partition("\n")[0]:
        return ScoreFile(path, "table", records=_by_prompt(path))
    opened = open_container(path, most=MAX_WHOLE, most_lines=MAX_BYTES, has_nan=True, any_name=True)
    if opened.kind == "table":
        return ScoreFile(path, "table", records=_cells(opened))
    if opened.kind == "lines":
        return ScoreFile(path, "lines", records=_objects(opened.rows))
    if isinstance(opened.value, list):
        return ScoreFile(path, "lines", records=listed(path, opened.value))
    if isinstance(opened.value, Mapping):
        return ScoreFile(path, "json", head=opened.value)
    raise DatasetError(f"{path}: {shown(opened.value)}: must be an object or a list of objects")


def listed(path: Path, values: list[Any], inside: str = "") -> Iterator[Record]:
    """Yield the records of a list.

    Raises:
        DatasetError: one is no object; names its number.
    """
    between = inside and f"{inside}, "
    numbered = enumerate(values, start=1)
    return _objects((f"{path}: {between}record {number}", row) for number, row in numbered)


def _objects(rows: Iterable[tuple[str, Any]]) -> Iterator[Record]:
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise DatasetError(f"{where}: {shown(row)}: must be an object")
        yield where, row


def hash_of_file(path: Path) -> str:
    """Return the hash of a file's bytes.

    Raises:
        DatasetError: it cannot be read.
    """
    total = hashlib.sha256()
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        while block := file.read(2**20):
            total.update(block)
    return total.hexdigest()


def _start_of(path: Path) -> bytes:
    try:
        return first_bytes(path, 4096)
    except OSError as problem:
        raise DatasetError(f"{path}: cannot be read: {problem.strerror}") from problem


def _json(content: bytes | str, where: str) -> Any:
    return loads(content, where=where, error=DatasetError, has_nan=True)


# Tables.


def _cells(opened: Container) -> Iterator[Record]:
    """Yield the rows of a table; empty cells are left out, but for the score of a row's metric."""
    for where, row in _objects(opened.rows):
        _, score = metric_and_score(row)
        cells = ((name, cell) for name, cell in row.items() if cell is not None or name == score)
        yield where, {name: _cell(cell, opened.separator) for name, cell in cells}


def _by_prompt(path: Path) -> Iterator[Record]:
    """Yield the results in a table of promptfoo's, which has a row for each test.

    The test's variables stand first; then each prompt has its answer and, under the same names as
    the others, what became of it.
    """
    with closing(text_lines(path, error=DatasetError, max_bytes=MAX_BYTES)) as lines:
        rows = csv.reader(lines, strict=True)
        try:
            yield from _of_prompts(path, rows)
        except csv.Error as problem:
            raise DatasetError(
                f"{path}:{rows.line_num}: not CSV: {problem}",
                remedy="a file that was cut off ends so; else a quote is missing",
            ) from problem


def _of_prompts(path: Path, rows: Any) -> Iterator[Record]:
    names = next(rows)
    starts = [place - 1 for place, name in enumerate(names) if name == "Status"]
    ends = [*starts[1:], len(names)]
    for row in rows:
        where = f"{path}:{rows.line_num}"
        if not row:
            continue
        if len(row) != len(names):
            raise DatasetError(f"{where}: {len(row)} cells, and the header has {len(names)}")
        given = dict(zip(names[: starts[0]], row, strict=False))
        given.pop("Description", None)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            told = dict(zip(names[start + 1 : end], row[start + 1 : end], strict=True))
            yield where, _result(number, names[start], given, row[start], told)


def _result(
    number: int, title: str, given: dict[str, str], answer: str, told: dict[str, str]
) -> dict[str, Any]:
    """Return a result as promptfoo writes it in JSON."""
    status, scores = told["Status"], told["Named Scores"]
    return {
        "promptIdx": number,
        "provider": {"label": title.partition("]")[0].removeprefix("[")},
        "vars": given,
        "response": {"output": answer},
        "success": {"PASS": True, "FAIL": False, "ERROR": False}.get(status),
        "failureReason": 2 if status == "ERROR" else 0,
        "error": told.get("Grader Reason", ""),
        "score": told["Score"],
        "namedScores": _json(scores, "Named Scores") if scores else {},
    }


def _cell(cell: Any, separator: str) -> Any:
    """Return a cell with a decimal point, where one with a comma can only be decimal."""
    if separator in {";", "\t"} and isinstance(cell, str) and cell.count(",") == 1:
        point = cell.replace(",", ".")
        if point.lstrip("-").rstrip(" %").replace(".", "").isdecimal():
            return point
    return cell


# Tests as pytest and others write them for JUnit.


class _Tests:
    """The test cases of an XML file, as its parser meets them.

    Attributes:
        cases: Their attributes, with `suite`, `properties`, and what became of each.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cases: list[dict[str, Any]] = []
        self._suites: list[str] = []
        self._in_case = False

    def parse(self, content: bytes) -> list[dict[str, Any]]:
        """Return the cases; a document type is refused, since no test has one."""
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        try:
            parser.Parse(content, True)
        except expat.ExpatError as problem:
            raise DatasetError(f"{self.path}:{problem.lineno}: not XML: {problem}") from problem
        except LookupError as problem:  # an encoding that nobody knows
            raise DatasetError(f"{self.path}: not XML: {problem}") from problem
        return self.cases

    def _refuse(self, *_declared: object) -> None:
        raise DatasetError(f"{self.path}: declares a document type or entities: no test does")

    def _begin(self, name: str, given: dict[str, str]) -> None:
        if name == "testsuite":
            self._suites.append(given.get("name", ""))
        elif name == "testcase":
            suite = self._suites[-1] if self._suites else ""
            self.cases.append({**given, "suite": suite, "properties": {}})
            self._in_case = True
        elif self._in_case and name == "property":
            self.cases[-1]["properties"][given.get("name", "")] = given.get("value", "")
        elif self._in_case and name in {"failure", "error", "skipped"}:
            self.cases[-1][name] = given.get("message", "") or name

    def _end(self, name: str) -> None:
        if name == "testcase":
            self._in_case = False
            if "error" in self.cases[-1] and _fell_before(*self.cases[-2:]):
                self.cases.pop()
        elif name == "testsuite" and self._suites:
            self._suites.pop()


def _fell_before(last: Mapping[str, Any], case: Mapping[str, Any] | None = None) -> bool:
    """Whether a test failed just before: pytest writes it once more where its teardown errs."""
    names = ("suite", "classname", "name")
    if case is None or "failure" not in last:
        return False
    return all(last.get(name) == case.get(name) for name in names)


def _tests(path: Path) -> Iterator[Record]:
    content = read_bytes(path, error=DatasetError, max_bytes=MAX_WHOLE)
    yield from listed(path, _Tests(path).parse(content))


# Logs of Inspect: an archive with a header and a file for each sample and epoch.


def _log(path: Path) -> ScoreFile:
    try:
        archive = _archive_of(path)
    except (OSError, zipfile.BadZipFile) as problem:
        raise DatasetError(f"{path}: the archive cannot be read: {problem}") from problem
    members = {member.filename: member for member in archive.infolist()}
    names = [name for name in members if name.startswith("samples/") and name.endswith(".json")]
    large = sum(member.file_size for member in members.values())
    if len(members) > _MOST_MEMBERS or large > MOST_UNPACKED or any(map(_swells, members.values())):
        raise DatasetError(f"{path}: unpacks to {large:,} bytes in {len(members):,} files: refused")
    if "xl/workbook.xml" in members:
        raise DatasetError(
            f"{path}: a workbook of a spreadsheet, which is not read",
            remedy="save its table of scores as CSV",
        )
    if "header.json" not in members:
        raise DatasetError(
            f"{path}: holds no header.json",
            remedy="a log of Inspect that did not end has none: let the evaluation run to its end",
        )
    ((_, head),) = _objects(_members(archive, ["header.json"], path))
    return ScoreFile(path, "eval", head, _objects(_members(archive, sorted(names), path)))


def _members(
    archive: zipfile.ZipFile, names: Iterable[str], path: Path
) -> Iterator[tuple[str, Any]]:
    for name in names:
        where = f"{path}: {name}"
        yield where, _json(_unpacked(archive, name, path), where)


def _archive_of(path: Path) -> zipfile.ZipFile:
    """Open an archive with what unpacks Zstandard too, where that is there.

    Python does so itself from 3.14 on.
    """
    try:
        from backports.zstd.zipfile import BadZipFile, ZipFile
    except ImportError:
        return zipfile.ZipFile(path)
    try:
        return cast("zipfile.ZipFile", ZipFile(path))
    except BadZipFile as problem:
        raise zipfile.BadZipFile(str(problem)) from problem


def _swells(member: zipfile.ZipInfo) -> bool:
    return member.file_size > max(1024**2, _NO_BOMB * member.compress_size)


def _unpacked(archive: zipfile.ZipFile, name: str, path: Path) -> str:
    try:
        with archive.open(name) as member:
            content = member.read(MAX_WHOLE + 1)
    except NotImplementedError as problem:  # method 93, Zstandard, which Python reads from 3.14 on
        raise DatasetError(
            f"{path}: {name} is packed in a way that this Python does not know: {problem}",
            remedy='pip install "ragate[inspect]", or: inspect log convert --to json '
            f"--output-dir logs-json {path.name}",
        ) from problem
    except Exception as problem:  # zlib and Zstandard have errors of their own, of no common kind
        raise DatasetError(f"{path}: {name}: cannot be unpacked: {problem}") from problem
    if len(content) > MAX_WHOLE:
        raise DatasetError(f"{path}: {name}: more than {MAX_WHOLE:,} bytes")
    return decode(content, where=f"{path}: {name}", error=DatasetError)
