"""Ragas and DeepEval: records of a question, what is right, and what a system said.

What a system said is a recorded output: it is noted and left out. Files are .json, .jsonl or .csv.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragate.dataset._importers._common import (
    EXPECTED_NAMES,
    Imported,
    Notes,
    question_of,
    records,
    scalar,
    text_of,
    texts_of,
    untaken,
)
from ragate.errors import DatasetError
from ragate.models import MetadataValue, Turn
from ragate.support.records import parsed_cell
from ragate.support.strict_json import loads


def _recorded(row: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    return (name for name in names & row.keys() if row[name] not in (None, "", []))


def _reference(where: str, row: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return the first of some fields that holds a right answer."""
    name = next((name for name in (*names, *EXPECTED_NAMES) if row.get(name)), names[0])
    text = text_of(where, name, row.get(name))
    return (text,) if text else ()


# Ragas: test sets and evaluation data sets.

_HOP = re.compile(r"\A<\d+-hop>\s*")  # before each context of a question over several documents
_RAGAS_RECORDED = frozenset({"response", "retrieved_contexts", "retrieved_context_ids", "answer"})
_RAGAS_TAKEN = _RAGAS_RECORDED | {
    "user_input",
    "question",
    "reference",
    "ground_truth",
    *EXPECTED_NAMES,
    "reference_contexts",
    "reference_context_ids",
    "contexts",
}


def read_ragas(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the questions of a file of Ragas, with the turns before them."""
    for where, row in records(path):
        user_input = row.get("user_input", row.get("question"))
        query, messages = _question(where, user_input, notes)
        if not query:
            raise DatasetError(f"{where}: there is no user_input", remedy="is this file of ragas?")
        notes.leave_out(_recorded(row, _RAGAS_RECORDED))
        ids = texts_of(where, "reference_context_ids", row.get("reference_context_ids"))
        yield Imported(
            place=where,
            query=query,
            messages=messages,
            relevant=dict.fromkeys(ids, 1),
            contexts=() if ids else _contexts(where, row),
            references=_reference(where, row, ("reference", "ground_truth")),
            metadata=untaken(row, _RAGAS_TAKEN),
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


# DeepEval: goldens.

_DEEPEVAL_RECORDED = frozenset({"actual_output", "retrieval_context", "tools_called"})
_NESTED = ("additional_metadata", "custom_column_key_values")
_DEEPEVAL_TAKEN = _DEEPEVAL_RECORDED | {
    "input",
    "expected_output",
    "context",
    "source_file",
    "turns",
}
_DEEPEVAL_TAKEN |= {*EXPECTED_NAMES, *_NESTED}


def read_deepeval(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the goldens of a file of DeepEval, with the turns before them."""
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
        notes.leave_out(_recorded(row, _DEEPEVAL_RECORDED))
        yield Imported(
            place=where,
            query=query,
            messages=messages,
            contexts=texts_of(where, "context", row.get("context"), separator=separator),
            sources=texts_of(where, "source_file", row.get("source_file"), separator="\0"),
            references=_reference(where, row, ("expected_output",)),
            metadata=_metadata(where, row),
        )


def _conversation(where: str, row: Mapping[str, Any], notes: Notes) -> tuple[str, tuple[Turn, ...]]:
    turns = row.get("turns")
    if isinstance(turns, str):  # a cell of a table
        turns = loads(turns, where=f"{where}: turns", error=DatasetError)
    return question_of(where, "turns", turns, notes) if turns else ("", ())


def _metadata(where: str, row: Mapping[str, Any]) -> dict[str, MetadataValue]:
    metadata = untaken(row, _DEEPEVAL_TAKEN)
    for name in _NESTED:
        value = row.get(name)
        if isinstance(value, str):  # a cell of a table
            value = loads(value, where=f"{where}: {name}", error=DatasetError)
        if isinstance(value, Mapping):
            metadata |= {str(key): scalar(item) for key, item in value.items() if item is not None}
    return metadata
