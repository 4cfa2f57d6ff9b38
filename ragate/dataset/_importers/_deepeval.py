"""DeepEval: goldens, as .json, .jsonl or .csv."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.dataset._importers._common import (
    EXPECTED_NAMES,
    Imported,
    Notes,
    records,
    scalar,
    text_of,
    texts_of,
    untaken,
)
from ragate.dataset._importers._conversation import question_of
from ragate.errors import DatasetError
from ragate.models import MetadataValue, Turn
from ragate.support.strict_json import loads

_RECORDED = frozenset({"actual_output", "retrieval_context", "tools_called"})
_NESTED = ("additional_metadata", "custom_column_key_values")
_TAKEN = _RECORDED | {"input", "expected_output", "context", "source_file", "turns"}
_TAKEN |= {*EXPECTED_NAMES, *_NESTED}


def read(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the goldens with the turns before them; recorded outputs are noted and left out."""
    separator = "" if path.suffix.lower() == ".json" else "|"
    for where, row in records(path):
        if "input" not in row and ("scenario" in row or "turns" in row):
            query, messages = _conversation(where, row, notes)
            if not query:
                notes.add("left out: a conversational golden without a turn of the user")
                continue
        else:
            query, messages = text_of(where, "input", row.get("input")), ()
        if not query:
            raise DatasetError(f"{where}: there is no input", remedy="is this file of deepeval?")
        for name in sorted(_RECORDED & row.keys()):
            if row[name] not in (None, "", []):
                notes.add(f"left out: {name}, a recorded output (docs/replay.md)")
        names = ("expected_output", *EXPECTED_NAMES)
        name = next((name for name in names if row.get(name)), names[0])
        reference = text_of(where, name, row.get(name))
        yield Imported(
            place=where,
            query=query,
            messages=messages,
            contexts=texts_of(where, "context", row.get("context"), separator=separator),
            sources=texts_of(where, "source_file", row.get("source_file"), separator="\0"),
            references=(reference,) if reference else (),
            metadata=_metadata(where, row),
        )


def _conversation(where: str, row: Mapping[str, Any], notes: Notes) -> tuple[str, tuple[Turn, ...]]:
    turns = row.get("turns")
    if isinstance(turns, str):  # a cell of a table
        turns = loads(turns, where=f"{where}: turns", error=DatasetError)
    return question_of(where, "turns", turns, notes) if turns else ("", ())


def _metadata(where: str, row: Mapping[str, Any]) -> dict[str, MetadataValue]:
    metadata = untaken(row, _TAKEN)
    for name in _NESTED:
        value = row.get(name)
        if isinstance(value, str):  # a cell of a table
            value = loads(value, where=f"{where}: {name}", error=DatasetError)
        if isinstance(value, Mapping):
            metadata |= {str(key): scalar(item) for key, item in value.items() if item is not None}
    return metadata
