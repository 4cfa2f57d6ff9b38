"""The Berkeley Function Calling Leaderboard: questions with tools, and their ground truth."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ragate.contrib.golden.importers._notes import Notes
from ragate.errors import DatasetError
from ragate.files.strict_json import read_lines
from ragate.settings import shown
from ragate.tables.containers import Record
from ragate.tables.formats import SETS
from ragate.tables.plain import plain_exchange
from ragate.tables.traced import Exchange

_WITHOUT_CALLS = ("irrelevance", "live_irrelevance")
_ANSWERS = "possible_answer"  # the folder beside the questions
_MISSING = "without right calls: the metrics of tool calls do not apply to them"


def read(path: Path, notes: Notes, _columns: Mapping[str, str]) -> Iterator[Exchange]:
    """Yield the questions; the right calls stand in them, or in the file of the same name below.

    Raises:
        DatasetError: names the line and what is wrong in it.
    """
    beside = path.parent / _ANSWERS / path.name
    answers = {str(row.get("id", "")): row.get("ground_truth") for _, row in _rows(beside)}
    for where, row in _rows(path):
        turns = row.get("question")
        if not isinstance(turns, list) or not turns:
            raise DatasetError(f"{where}: there is no question", remedy="is this file of bfcl?")
        if isinstance(turns[0], list) and len(turns) > 1:
            notes.add("left out: a conversation whose later turns follow from calls")
            continue
        name = str(row.get("id", ""))
        calls = answers.get(name) if row.get("ground_truth") is None else row["ground_truth"]
        if calls is None and name.startswith(_WITHOUT_CALLS):
            calls = []
        if calls is None:
            notes.add(_MISSING)
        told = {
            "id": name,
            "query": turns[0] if isinstance(turns[0], list) else turns,
            "tools": row.get("function"),
            "expected_calls": calls,
        }
        exchange = plain_exchange(where, told, SETS["table"].shapes[0])
        if exchange.query:
            yield exchange
        else:
            notes.add("left out: no question of a user")


def _rows(path: Path) -> Iterator[Record]:
    """Yield the lines of a file, whatever its ending; none where it is absent."""
    for number, row in read_lines(path, error=DatasetError) if path.is_file() else ():
        where = f"{path}:{number}"
        if not isinstance(row, Mapping):
            raise DatasetError(f"{where}: {shown(row)}: must be an object")
        yield where, row
