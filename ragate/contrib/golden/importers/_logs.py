"""Questions of a product's own logs: each once, and first those whose answer nobody liked.

A log tells what was asked and what was answered that day, not what is right. So a question becomes
a draft; answer and documents of that day stay as metadata, for whoever labels it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ragate.contrib.golden.importers._notes import Notes, said_that_day
from ragate.core.text.near_duplicates import near_duplicates
from ragate.errors import DatasetError
from ragate.files.pointer import PointerError, many, one
from ragate.models import MetadataValue
from ragate.outputs.foreign_lines import guess_mapping
from ragate.outputs.pointed import fields_of
from ragate.tables.containers import ENDINGS, records
from ragate.tables.traced import Exchange
from ragate.version import MANUAL

SIMILAR = 0.8
MOST_COMPARED = 20_000  # questions that are held against each other
_FIRST = 20
_WORDS = re.compile(r"\w+")
_FEEDBACK = frozenset(
    {"feedback", "rating", "thumbs", "thumb", "vote", "user_feedback", "reaction"}
)
_DISLIKED = frozenset({"down", "-1", "negative", "bad", "thumbs_down", "dislike", "false", "👎"})
_PERSONAL = {
    "an address": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+\.\w+"),
    "a number": re.compile(r"\+?\d[\d ()/-]{7,}\d"),
}


@dataclass
class _Asked:
    """A question, and how it was asked and answered."""

    place: str
    query: str
    count: int = 0
    disliked: int = 0
    metadata: dict[str, MetadataValue] = field(default_factory=dict)


def read(path: Path, notes: Notes, _columns: Mapping[str, str]) -> Iterator[Exchange]:
    """Yield each question of a file, or of the files of a folder, as a draft.

    Questions that are nearly the same are one, with how often it was asked; ids are counted.

    Raises:
        DatasetError: a file cannot be read, or no field of its lines is seen to be the question.
    """
    questions: dict[str, _Asked] = {}
    for file in _files(path):
        for place, row, pointers in _rows(file):
            query = _text(row, pointers.get("question", ""))
            if not query:
                notes.add("left out: a line without a question")
                continue
            words = " ".join(_WORDS.findall(query.casefold()))
            asked = questions.setdefault(words, _Asked(place, query, metadata=_told(row, pointers)))
            asked.count += 1
            asked.disliked += _is_disliked(row)
    merged = _merged(list(questions.values()), notes)
    for number, asked in enumerate(
        sorted(merged, key=lambda asked: (-asked.disliked, -asked.count)), start=1
    ):
        yield _imported(asked, number, notes)


def _imported(asked: _Asked, number: int, notes: Notes) -> Exchange:
    metadata: dict[str, MetadataValue] = {"asked": asked.count, **asked.metadata}
    if asked.disliked:
        metadata["disliked"] = asked.disliked
    if personal := [what for what, pattern in _PERSONAL.items() if pattern.search(asked.query)]:
        metadata["personal"] = ", ".join(personal)
        notes.add(
            "holds what may be an address or a number of a person (metadata personal): reword"
        )
    name = f"log-{number:03}"
    return Exchange(asked.place, asked.query, id=name, metadata=metadata, own={"draft": True})


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS)
    if not files:
        raise DatasetError(f"{path}: holds no log", remedy=f"name files that end in {ENDINGS}")
    return files


def _rows(file: Path) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, str]]]:
    """Yield the lines of a file with their places, and where their parts stand."""
    first = islice(records(file, error=DatasetError), _FIRST)
    pointers = guess_mapping([row for _, row in first]).pointers
    if "question" not in pointers:
        raise DatasetError(
            f"{file}: no field of its lines is seen to be the question",
            remedy=f"name it question, query or user_query; {MANUAL}/growing.md has the formats",
        )
    yield from ((place, row, pointers) for place, row in records(file, error=DatasetError))


def _text(row: Mapping[str, Any], pointer: str) -> str:
    try:
        value = one(dict(row), pointer) if pointer else ""
    except PointerError:
        return ""
    return " ".join(value.split()) if isinstance(value, str) else ""


def _told(row: Mapping[str, Any], pointers: Mapping[str, str]) -> dict[str, MetadataValue]:
    try:
        ids = many(dict(row), pointers["ids"]) if "ids" in pointers else []
    except PointerError:
        ids = []
    cut = pointers.get("id_before", "")
    names = (str(name).partition(cut)[0] if cut else str(name) for name in ids)
    return said_that_day(_text(row, pointers.get("answer", "")), names)


def _is_disliked(row: Mapping[str, Any]) -> bool:
    return any(
        str(value).casefold() in _DISLIKED
        for pointer, value in fields_of(row)
        if pointer.rpartition("/")[2].lower() in _FEEDBACK
    )


def _merged(asked: list[_Asked], notes: Notes) -> list[_Asked]:
    """Return the questions with those that are nearly the same put together."""
    if len(asked) > MOST_COMPARED:
        notes.add(f"more than {MOST_COMPARED} questions: only equal ones were put together")
        return asked
    # Backwards, so that what is merged into a question goes on with it.
    for pair in reversed(near_duplicates([each.query for each in asked], threshold=SIMILAR)):
        first, second = asked[pair.earlier], asked[pair.later]
        first.count, first.disliked = first.count + second.count, first.disliked + second.disliked
        second.count = second.disliked = 0
    return [each for each in asked if each.count]
