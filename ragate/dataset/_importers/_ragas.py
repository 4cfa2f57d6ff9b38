"""Ragas: test sets and evaluation data sets, as .jsonl, .csv or .json."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.dataset._importers._common import Imported, Notes, records, text_of, texts_of, untaken
from ragate.errors import DatasetError

_HOP = re.compile(r"\A<\d+-hop>\s*")  # before each context of a question over several documents
_RECORDED = frozenset({"response", "retrieved_contexts", "retrieved_context_ids", "answer"})
_TAKEN = _RECORDED | {
    "user_input",
    "question",
    "reference",
    "ground_truth",
    "reference_contexts",
    "reference_context_ids",
    "contexts",
}


def read(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the questions; conversations and recorded outputs are noted and left out."""
    for where, row in records(path):
        user_input = row.get("user_input", row.get("question"))
        if isinstance(user_input, list):
            notes.add("left out: a conversation of several turns")
            continue
        query = text_of(where, "user_input", user_input)
        if not query:
            raise DatasetError(f"{where}: there is no user_input", remedy="is this file of ragas?")
        for name in sorted(_RECORDED & row.keys()):
            if row[name] not in (None, "", []):
                notes.add(f"left out: {name}, a recorded output (docs/replay.md)")
        ids = texts_of(where, "reference_context_ids", row.get("reference_context_ids"))
        yield Imported(
            place=where,
            query=query,
            relevant=dict.fromkeys(ids, 1),
            contexts=() if ids else _contexts(where, row),
            references=_references(where, row),
            metadata=untaken(row, _TAKEN),
        )


def _contexts(where: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    name = "reference_contexts"
    if name not in row and "answer" not in row:
        name = "contexts"  # of test sets before version 0.2
    return tuple(_HOP.sub("", text) for text in texts_of(where, name, row.get(name)))


def _references(where: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    name = "reference" if "reference" in row else "ground_truth"
    text = text_of(where, name, row.get(name))
    return (text,) if text else ()
