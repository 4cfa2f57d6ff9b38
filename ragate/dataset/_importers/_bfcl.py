"""The Berkeley Function Calling Leaderboard: questions with tools, and their ground truth."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.dataset._importers._common import Imported, Notes, question_of
from ragate.dataset._rows import MAX_BYTES
from ragate.errors import DatasetError
from ragate.support.settings import shown
from ragate.support.strict_json import read_lines

_WITHOUT_CALLS = ("irrelevance", "live_irrelevance")
_ANSWERS = "possible_answer"  # the folder beside the questions
_MISSING = "without right calls: the metrics of tool calls do not apply to them"


def read(path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield the questions; the right calls stand in them, or in the file of the same name below.

    Files of the leaderboard end in .json and hold one object a line.

    Raises:
        DatasetError: names the line and what is wrong in it.
    """
    answers = _answers(path.parent / _ANSWERS / path.name)
    for where, row in _rows(path):
        turns = row.get("question")
        if not isinstance(turns, list) or not turns:
            raise DatasetError(f"{where}: there is no question", remedy="is this file of bfcl?")
        if isinstance(turns[0], list) and len(turns) > 1:
            notes.add("left out: a conversation whose later turns follow from calls")
            continue
        messages = turns[0] if isinstance(turns[0], list) else turns
        query, before = question_of(where, "question", messages, notes)
        if not query:
            notes.add("left out: no question of a user")
            continue
        name = str(row.get("id", ""))
        calls = row.get("ground_truth")
        if calls is None:
            calls = answers.get(name)
        if calls is None and name.startswith(_WITHOUT_CALLS):
            calls = []
        if calls is None:
            notes.add(_MISSING)
        yield Imported(
            place=where,
            id=name,
            query=query,
            messages=before,
            tools=row.get("function") or [],
            expected_calls=calls,
        )


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, row in read_lines(path, error=DatasetError, max_bytes=MAX_BYTES):
        where = f"{path}:{number}"
        if not isinstance(row, Mapping):
            raise DatasetError(f"{where}: {shown(row)}: must be an object")
        yield where, row


def _answers(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    return {str(row.get("id", "")): row.get("ground_truth") for _, row in _rows(path)}
