"""Golden sets that other tools wrote, brought into ours. One module a form of file."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ragate.dataset._importers import (
    _bfcl,
    _goldens,
    _llamaindex,
    _logs,
    _promptfoo,
    _table,
    _traces,
)
from ragate.dataset._importers._common import Imported, Notes
from ragate.dataset._importers._resolve import PlacementCounts, Resolver
from ragate.dataset._importers._table import looks_like_questions
from ragate.errors import DatasetError, UsageError

__all__ = [
    "KINDS",
    "Imported",
    "Notes",
    "PlacementCounts",
    "Resolver",
    "looks_like_questions",
    "read_foreign",
]

_READERS: dict[str, Callable[[Path, Notes], Iterator[Imported]]] = {
    "table": _table.read,
    "ragas": _goldens.read_ragas,
    "deepeval": _goldens.read_deepeval,
    "promptfoo": _promptfoo.read,
    "llamaindex": _llamaindex.read,
    "bfcl": _bfcl.read,
    "logs": _logs.read,
    **{kind: partial(_traces.read, kind) for kind in _traces.KINDS},
}
KINDS = tuple(_READERS)


def read_foreign(
    kind: str, path: Path, notes: Notes, *, query_name: str = ""
) -> Iterator[Imported]:
    """Yield the questions of a file of another tool.

    Args:
        kind: One of `KINDS`.
        notes: Gets what could not be taken.
        query_name: For promptfoo, the variable that holds the question.

    Raises:
        DatasetError: the file cannot be read; names the place.
    """
    if path.is_dir() and kind != "logs":
        raise DatasetError(f"{path}: a folder, and {kind} writes a file", remedy="name the file")
    if kind == "promptfoo":
        return _promptfoo.read(path, notes, query_name=query_name)
    if query_name:
        raise UsageError("--query-var is for promptfoo; the other formats name the question")
    return _READERS[kind](path, notes)
