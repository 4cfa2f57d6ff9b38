"""A table of questions that no tool wrote: columns are known by the names people give them."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
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
from ragate.dataset._rows import RECORDED, REFERENCES
from ragate.errors import DatasetError
from ragate.support.settings import shown

# By what they hold, the surest name first; compared without case, and "_" for a space or a dash.
_COLUMNS = {
    "id": ("id", "question_id", "query_id", "qid"),
    "question": (
        *("question", "query", "input", "user_input", "user_question", "user_query", "prompt"),
        *("q",),
    ),
    "right answer": (
        *(*REFERENCES, *EXPECTED_NAMES, "ideal", "ideal_answer", "gold_answer", "correct_answer"),
        *("golden_answer", "target", "answer", "a"),
    ),
    "expected documents": (
        *("relevant", "relevant_docs", "relevant_documents", "expected_docs", "expected_documents"),
        *("expected_source", "expected_sources", "gold_doc", "gold_docs", "context_ids"),
        *("source", "sources", "source_file", "source_id", "doc_id", "doc_ids", "document_id"),
        *("document_ids", "document", "documents", "doc", "docs", "file", "files", "file_name"),
        *("filename", "file_path", "path", "page", "url"),
    ),
    "passages": ("context", "contexts", "reference_contexts", "passage", "passages"),
}
_BETWEEN = re.compile(r"[ \-]+")
# What a system said: the right answer only where nothing tells that it was recorded.
_SAID = frozenset({"answer", "a"})
_PEEKED = 20


def read(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the rows of a .csv, .json or .jsonl file; every other column becomes metadata.

    Raises:
        DatasetError: no column holds the question; lists the columns.
    """
    for where, row in records(path):
        found = columns_of(row)
        if "question" not in found:
            names = shown(", ".join(map(str, row)))
            raise DatasetError(
                f"{where}: no field holds the question; there are {names}",
                remedy=f"name it {', '.join(_COLUMNS['question'][:3])}",
            )
        for what, name in found.items():
            if name != what:
                notes.add(f"{name!r} is read as {what}")
        left_out = _recorded(row, found)
        notes.leave_out(left_out)
        yield _imported(where, row, found, left_out)


def columns_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the columns of a row by what they hold, as far as they tell."""
    by_custom = {_plain(str(name)): str(name) for name in row}
    found = {
        what: next((by_custom[name] for name in names if name in by_custom), "")
        for what, names in _COLUMNS.items()
    }
    if found["passages"] and _plain(found["right answer"]) in _SAID:
        found["right answer"] = ""  # beside passages it is what was said of them
    return {what: name for what, name in found.items() if name}


def looks_like_questions(path: Path) -> bool:
    """Whether the first rows have a question beside what a golden set needs: answer or document."""
    try:
        rows = [row for _, row in islice(records(path), _PEEKED)]
    except DatasetError:
        return False
    needed = {"right answer", "expected documents"}
    return bool(rows) and all(
        "question" in (found := columns_of(row)) and bool(needed & found.keys()) for row in rows
    )


def _plain(name: str) -> str:
    return _BETWEEN.sub("_", name.strip().lower())


def _recorded(row: Mapping[str, Any], found: Mapping[str, str]) -> frozenset[str]:
    """Return the columns that hold what a system said or did, and not what is right."""
    taken = set(found.values())
    return frozenset(name for name in row if name not in taken and _plain(str(name)) in RECORDED)


def _imported(
    where: str, row: Mapping[str, Any], found: Mapping[str, str], left_out: frozenset[str]
) -> Imported:
    def cell(what: str) -> tuple[str, Any]:
        name = found.get(what, "")
        return name, row.get(name)

    query = text_of(where, *cell("question"))
    if not query:
        raise DatasetError(f"{where}: the question is empty", remedy="fill it in, or take it out")
    grades = _grades(where, *cell("expected documents"))
    return Imported(
        place=where,
        query=query,
        id=text_of(where, *cell("id")),
        relevant=grades,
        sources=() if isinstance(cell("expected documents")[1], Mapping) else tuple(grades),
        contexts=texts_of(where, *cell("passages")),
        references=texts_of(where, *cell("right answer")),
        metadata=untaken(row, left_out | frozenset(found.values())),
    )


def _grades(where: str, name: str, value: Any) -> dict[str, int]:
    """Return grades by document: of an object, or 1 for each of a list or a cell with semicolons.

    Raises:
        DatasetError: a grade is no whole number.
    """
    if isinstance(value, Mapping):
        if all(type(grade) is int for grade in value.values()):
            return {str(document): grade for document, grade in value.items()}
        raise DatasetError(f"{where}: {name} = {shown(value)}: a grade is a whole number")
    texts = texts_of(where, name, value)
    parts = (part.strip() for text in texts for part in re.split(r"[;\n]", text))
    return {part: 1 for part in parts if part}
