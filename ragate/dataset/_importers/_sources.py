"""The tools whose files can be read, by name."""

from collections.abc import Iterator
from pathlib import Path

from ragate.dataset._importers import (
    _bfcl,
    _deepeval,
    _llamaindex,
    _promptfoo,
    _ragas,
    _table,
    _traces,
)
from ragate.dataset._importers._common import Imported, Notes
from ragate.errors import DatasetError, UsageError

KINDS = ("table", "ragas", "deepeval", "promptfoo", "llamaindex", "bfcl", *_traces.KINDS)


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
    if path.is_dir():
        raise DatasetError(f"{path}: a folder, and {kind} writes a file", remedy="name the file")
    if query_name and kind != "promptfoo":
        raise UsageError("--query-var is for promptfoo; the other formats name the question")
    if kind == "promptfoo":
        return _promptfoo.read(path, notes, query_name=query_name)
    if kind in _traces.KINDS:
        return _traces.read(kind, path, notes)
    readers = {"ragas": _ragas.read, "deepeval": _deepeval.read, "llamaindex": _llamaindex.read}
    readers |= {"bfcl": _bfcl.read, "table": _table.read}
    return readers[kind](path, notes)
