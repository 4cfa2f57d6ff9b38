"""promptfoo: the tests of a configuration, of a list of tests, or of a result file."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.contrib.golden.importers._notes import Notes
from ragate.errors import DatasetError
from ragate.settings import nearest, shown
from ragate.tables.cells import texts_of
from ragate.tables.containers import open_container, without_row_numbers
from ragate.tables.formats import SETS
from ragate.tables.names import COMMON, plain
from ragate.tables.plain import plain_exchange
from ragate.tables.traced import Exchange

Row = Mapping[str, Any]
_ELSEWHERE = "file://"
_READ = {".jsonl", ".ndjson", ".csv", ".tsv", ".json", ".yaml", ".yml"}
_ASSERTION = re.compile(r"(?P<type>[a-z][a-z-]*)(\([\d.]+\))?:\s*(?P<value>.*)", re.DOTALL)
# What a test has beside its variables; what else stands there is somebody's own.
_KNOWN = frozenset(
    {"vars", "assert", "metadata", "options", "provider", "providers", "prompts", "threshold"}
    | {"assertScoringFunction", "providerOutput", "storeOutputAs", "runSerially"}
)
# Assertions whose value is a right answer.
_REFERENCES = frozenset({"factuality", "model-graded-factuality", "similar", "equals"})
_REFERENCES |= {"context-recall"}


def read(path: Path, notes: Notes, columns: Mapping[str, str]) -> Iterator[Exchange]:
    """Yield one question for each test; what has no place here stays as metadata.

    Args:
        columns: Under ``query`` the variable that holds the question; else a usual name, or the
            only one.
    """
    tests, default = _tests(path, notes)
    defaults = _mapping(f"{path}: defaultTest", default)
    shared = _mapping(f"{path}: defaultTest: vars", defaults.get("vars") or {})
    for number, test in enumerate(tests, start=1):
        where = f"{path}: test {number}"
        if isinstance(test, str):
            notes.add(f"left out: tests in another file ({test}); import that file")
            continue
        row = _mapping(where, test)
        values = {**shared, **_mapping(f"{where}: vars", row.get("vars") or {})}
        name = columns.get("query") or _query_name(where, values)
        if name not in values:
            raise DatasetError(f"{where}: there is no variable {name!r}{nearest(name, values)}")
        told = _told(where, row, values)
        for query in values[name] if isinstance(values[name], list) else [values[name]]:
            if str(query).startswith(_ELSEWHERE):
                notes.add("left out: a question that stands in a file of its own")
                continue
            asked = {**told, name: query}
            yield plain_exchange(
                where, asked, SETS["table"].shapes[0], columns={**columns, "query": name}
            )


def _told(where: str, test: Row, values: Row) -> dict[str, Any]:
    """Return a test as a row: its variables, and what its assertions say of the right answer."""
    own = {name: value for name, value in test.items() if name not in _KNOWN}
    told = {**own, "metadata": dict(_mapping(where, test.get("metadata") or {}))}
    told |= {key: value for key, value in values.items() if not str(value).startswith(_ELSEWHERE)}
    asserted = list(_asserted(where, test.get("assert")))
    refusals = [each for each in asserted if each.get("type") == "is-refusal"]
    right = [each for each in asserted if _is_reference(each)]
    unread = [each for each in asserted if each not in (*refusals, *right)]
    if refusals:
        told["answerable"] = False
    if right:
        named = _named(told, "references") or "references"
        told_values = (*(each.get("value") for each in right), told.get(named))
        texts = [text for value in told_values for text in _texts(f"{where}: {named}", value)]
        told[named] = list(dict.fromkeys(texts))
    told["metadata"] |= {f"assert.{number}": each for number, each in enumerate(unread, start=1)}
    return told


def _texts(where: str, value: Any) -> tuple[str, ...]:
    try:
        return texts_of(value)
    except ValueError as error:
        raise DatasetError(f"{where} = {shown(value)}: {error}") from error


def _is_reference(assertion: Row) -> bool:
    value = assertion.get("value")
    return assertion.get("type") in _REFERENCES and not str(value).startswith(_ELSEWHERE)


def _asserted(where: str, assertions: Any) -> Iterator[Row]:
    """Yield the assertions of a test, those of a set one by one."""
    if not isinstance(assertions or [], list):
        raise DatasetError(f"{where}: assert = {shown(assertions)}: must be a list")
    for assertion in assertions or []:
        row = _mapping(f"{where}: assert", assertion)
        kind = row.get("type")
        if not isinstance(kind, str):
            raise DatasetError(f"{where}: assert: type = {shown(kind)}: must be text")
        if kind == "assert-set":
            yield from _asserted(where, row.get("assert"))
        else:
            yield row


def _tests(path: Path, notes: Notes) -> tuple[list[Any], Any]:
    value = _loaded(path)
    if isinstance(value, Mapping) and isinstance(value.get("config"), Mapping):
        value = value["config"]  # a result file holds its configuration
    default: Any = {}
    if isinstance(value, Mapping):
        default, value = value.get("defaultTest") or {}, value.get("tests")
        if isinstance(default, str):
            notes.add("left out: defaultTest, which stands in another file")
            default = {}
        if isinstance(default, Mapping) and default.get("assert"):
            notes.add("left out: the assertions of defaultTest")
    if isinstance(value, str) and value.startswith(_ELSEWHERE):
        value = _loaded(_beside(path, value))
    if not isinstance(value, list):
        raise DatasetError(
            f"{path}: there is no list of tests" + (f", but {shown(value)}" if value else ""),
            remedy="name the file that holds the tests: a list of YAML or JSON, or a CSV",
        )
    return value, default


def _loaded(path: Path) -> Any:
    """Return what a file of promptfoo's holds; the rows of a table are tests."""
    opened = open_container(path)
    if opened.kind == "table":
        return [_test_of(where, row) for where, row in opened.rows]
    return opened.value or [row for _, row in opened.rows]


def _beside(path: Path, named: str) -> Path:
    """Return the file that a configuration names: of its own folder or below.

    Raises:
        DatasetError: it is somewhere else, or a script.
    """
    target = path.parent / named.removeprefix(_ELSEWHERE).partition("#")[0]
    inside = target.resolve().is_relative_to(path.parent.resolve())
    if not inside or target.suffix.lower() not in _READ:
        raise DatasetError(
            f"{path}: tests = {shown(named)}: only a file of {', '.join(sorted(_READ))} in the "
            "folder of the configuration is read",
            remedy="let promptfoo write its results to a JSON file, and import that",
        )
    return target


def _test_of(where: str, row: Row) -> dict[str, Any]:
    """Return a row of a CSV as a test: columns are variables, but for those of two underlines."""
    test: dict[str, Any] = {"vars": {}, "assert": [], "metadata": {}}
    given = {name: cell for name, cell in without_row_numbers(row).items() if cell is not None}
    for name, cell in given.items():
        if re.fullmatch(r"__expected\d*", name):
            test["assert"].append(_assertion(str(cell)))
        elif name == "__description":
            test["description"] = cell
        elif name.startswith("__"):
            test["metadata"][name.removeprefix("__metadata:").strip("_")] = cell
        else:
            test["vars"][name] = cell
    if not test["vars"]:
        raise DatasetError(f"{where}: no column of it is a variable")
    return test


def _assertion(text: str) -> dict[str, Any]:
    """Return what a cell expects: `contains: Oslo`, `similar(0.8): Oslo`, or the text itself."""
    found = _ASSERTION.fullmatch(text.strip())
    if found is None:
        return {"type": "equals", "value": text}
    return {"type": found["type"], "value": found["value"]}


def _mapping(where: str, value: Any) -> Row:
    if not isinstance(value, Mapping):
        raise DatasetError(f"{where}: {shown(value)}: must be an object")
    return value


def _named(row: Row, part: str) -> str:
    """Return the field that a usual name tells to be a part of a sample, "" where none does."""
    by_name = {plain(str(name)): str(name) for name in row}
    return next((by_name[name] for name in COMMON[part] if name in by_name), "")


def _query_name(where: str, values: Row) -> str:
    usual = _named(values, "query") or next((name for name in values if name == "message"), "")
    if usual or len(values) == 1:
        return usual or next(iter(values))
    raise DatasetError(
        f"{where}: which variable is the question? It has {', '.join(values) or 'none'}",
        remedy="name it: --column query=NAME",
    )
