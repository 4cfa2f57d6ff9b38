"""Ragas: test sets and evaluation data sets, as .jsonl, .csv or .json."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.dataset._importers._common import (
    EXPECTED_NAMES,
    Imported,
    Notes,
    records,
    text_of,
    texts_of,
    untaken,
)
from ragate.dataset._importers._conversation import question_of
from ragate.errors import DatasetError
from ragate.models import Turn
from ragate.support.records import parsed_cell

_HOP = re.compile(r"\A<\d+-hop>\s*")  # before each context of a question over several documents
_RECORDED = frozenset({"response", "retrieved_contexts", "retrieved_context_ids", "answer"})
_TAKEN = _RECORDED | {
    "user_input",
    "question",
    "reference",
    "ground_truth",
    *EXPECTED_NAMES,
    "reference_contexts",
    "reference_context_ids",
    "contexts",
}


def read(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the questions with the turns before them; recorded outputs are noted and left out."""
    for where, row in records(path):
        user_input = row.get("user_input", row.get("question"))
        query, messages = _question(where, user_input, notes)
        if not query:
            raise DatasetError(f"{where}: there is no user_input", remedy="is this file of ragas?")
        for name in sorted(_RECORDED & row.keys()):
            if row[name] not in (None, "", []):
                notes.add(f"left out: {name}, a recorded output (docs/replay.md)")
        ids = texts_of(where, "reference_context_ids", row.get("reference_context_ids"))
        yield Imported(
            place=where,
            query=query,
            messages=messages,
            relevant=dict.fromkeys(ids, 1),
            contexts=() if ids else _contexts(where, row),
            references=_references(where, row),
            metadata=untaken(row, _TAKEN),
        )


def _question(where: str, user_input: Any, notes: Notes) -> tuple[str, tuple[Turn, ...]]:
    """Return the question, and the turns before it where the sample is a conversation."""
    if isinstance(user_input, str) and user_input.lstrip().startswith("[{"):
        user_input = parsed_cell(user_input)  # a conversation in a cell of a table
    if isinstance(user_input, list):
        return question_of(where, "user_input", user_input, notes)
    return text_of(where, "user_input", user_input), ()


def _contexts(where: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    name = "reference_contexts"
    if name not in row and "answer" not in row:
        name = "contexts"  # of test sets before version 0.2
    return tuple(_HOP.sub("", text) for text in texts_of(where, name, row.get(name)))


def _references(where: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("reference", "ground_truth", *EXPECTED_NAMES)
    name = next((name for name in names if row.get(name)), "reference")
    text = text_of(where, name, row.get(name))
    return (text,) if text else ()
