"""Which attempts of a collecting job count."""

from __future__ import annotations

import json
from pathlib import Path

from ragate.github.foreign import measured

LIMIT = 0.05


def attempt(path: Path, *, lost: int, of: int = 40) -> Path:
    error = {"kind": "provider", "message": "no reply"}
    rows = [
        {"id": f"q{number}", "answer": "a"}
        | ({"answer": None, "error": error} if number < lost else {})
        for number in range(of)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_attempt_that_measured_enough_stays_evidence(tmp_path: Path):
    first, second = attempt(tmp_path / "1", lost=2), attempt(tmp_path / "2", lost=0)
    assert measured([first, second], LIMIT) == [first, second]


def test_an_attempt_without_a_key_gives_way_to_the_one_with_its_replies(tmp_path: Path):
    first, second = attempt(tmp_path / "1", lost=3), attempt(tmp_path / "2", lost=0)
    assert measured([first, second], LIMIT) == [second]


def test_where_no_attempt_measured_enough_all_are_judged(tmp_path: Path):
    files = [attempt(tmp_path / "1", lost=40), attempt(tmp_path / "2", lost=20)]
    assert measured(files, LIMIT) == files
