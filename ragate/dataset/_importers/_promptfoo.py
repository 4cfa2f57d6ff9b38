"""promptfoo: the tests of a configuration, of a list of tests, or of a result file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.dataset import yaml_list
from ragate.dataset._importers._common import (
    EXPECTED_NAMES,
    Imported,
    Notes,
    json_value,
    scalar,
    text_of,
    texts_of,
    turns_of,
)
from ragate.errors import DatasetError
from ragate.models import MetadataValue, Turn
from ragate.support.settings import nearest, shown

QUERY_NAMES = ("query", "question", "user_input", "input", "prompt", "message", "q")
_HISTORY = ("messages", "history", "chat_history", "conversation")
_CONTEXTS = ("context", "contexts")
# Variables that people write a right answer into, for their assertions to compare with.
_EXPECTED = (*EXPECTED_NAMES, "reference", "reference_answer", "ground_truth")
# Assertions whose value is a right answer.
_REFERENCES = frozenset({"factuality", "model-graded-factuality", "similar", "equals"})
_REFERENCES |= {"context-recall"}


def read(path: Path, notes: Notes, *, query_name: str = "") -> Iterator[Imported]:
    """Yield one question for each test; what has no place here stays as metadata.

    Args:
        query_name: The variable that holds the question; "" for a usual name, or the only one.
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
        name = query_name or _query_name(where, values)
        if name not in values:
            raise DatasetError(f"{where}: there is no variable {name!r}{nearest(name, values)}")
        key = next((key for key in _HISTORY if isinstance(values.get(key), list)), "")
        earlier = turns_of(f"{where}: vars", key, values.pop(key), notes) if key else ()
        for query in texts_of(where, name, values[name]):
            if query.startswith("file://"):
                notes.add("left out: a question that stands in a file of its own")
                continue
            yield _imported(where, row, values, name, query, earlier)


def _tests(path: Path, notes: Notes) -> tuple[list[Any], Any]:
    value = json_value(path) if path.suffix.lower() == ".json" else yaml_list.load(path)[0]
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
    if not isinstance(value, list):
        raise DatasetError(
            f"{path}: there is no list of tests" + (f", but {shown(value)}" if value else ""),
            remedy="import the file that holds the tests",
        )
    return value, default


def _mapping(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DatasetError(f"{where}: {shown(value)}: must be an object")
    return value


def _query_name(where: str, values: Mapping[str, Any]) -> str:
    usual = [name for name in QUERY_NAMES if name in values]
    if usual:
        return usual[0]
    if len(values) == 1:
        return next(iter(values))
    raise DatasetError(
        f"{where}: which variable is the question? It has {', '.join(values) or 'none'}",
        remedy="name it with --query-var",
    )


@dataclass
class _Asserted:
    """What the assertions of a test say of the right answer."""

    references: list[str] = field(default_factory=list)
    answerable: bool | None = None
    unread: list[Any] = field(default_factory=list)

    def add_all(self, where: str, assertions: Any) -> None:
        if not isinstance(assertions or [], list):
            raise DatasetError(f"{where}: assert = {shown(assertions)}: must be a list")
        for assertion in assertions or []:
            self._add(where, assertion)

    def _add(self, where: str, assertion: Any) -> None:
        row = _mapping(f"{where}: assert", assertion)
        kind, value = text_of(f"{where}: assert", "type", row.get("type")), row.get("value")
        if kind == "assert-set":
            self.add_all(where, row.get("assert"))
        elif kind == "is-refusal":
            self.answerable = False
        elif kind in _REFERENCES and not str(value).startswith("file://"):
            self.references += texts_of(where, "assert", value)
        else:
            self.unread.append(row)


def _imported(
    where: str,
    row: Mapping[str, Any],
    values: Mapping[str, Any],
    name: str,
    query: str,
    earlier: tuple[Turn, ...],
) -> Imported:
    asserted = _Asserted()
    asserted.add_all(where, row.get("assert"))
    contexts = [
        text for key in _CONTEXTS if key != name for text in texts_of(where, key, values.get(key))
    ]
    for key in _EXPECTED:
        if key != name and not str(values.get(key)).startswith("file://"):
            asserted.references += texts_of(where, key, values.get(key))
    metadata: dict[str, MetadataValue] = {
        key: scalar(value)
        for key, value in values.items()
        if key not in {name, *_CONTEXTS, *_EXPECTED}
    }
    metadata |= {
        key: scalar(value) for key, value in _mapping(where, row.get("metadata") or {}).items()
    }
    if description := text_of(where, "description", row.get("description")):
        metadata["description"] = description
    for number, assertion in enumerate(asserted.unread, start=1):
        metadata[f"assert.{number}"] = scalar(assertion)
    return Imported(
        place=where,
        query=query,
        messages=earlier,
        contexts=tuple(text for text in contexts if not text.startswith("file://")),
        references=tuple(dict.fromkeys(asserted.references)),
        answerable=asserted.answerable,
        metadata=metadata,
    )
