"""Recorded outputs under their ids, else under their questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragate.outputs.mapping import RecordMapping
from ragate.systems._recordings import Recordings, read_recordings
from tests.factories import sample_factory

ASKED = sample_factory("q001")


def read(path: Path, *rows: dict[str, Any], **mapping: Any) -> Recordings:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_recordings([path], RecordMapping.model_validate(mapping))


def answers(recordings: Recordings) -> list[str | None]:
    return [kept.read().answer for kept in recordings.of(ASKED)]


def test_a_line_with_an_id_of_its_own_is_found_by_its_question(tmp_path: Path):
    row = {"id": "trace-7", "question": f"  {ASKED.query} ", "answer": "Yes."}

    assert answers(read(tmp_path / "o.jsonl", row)) == ["Yes."]


def test_the_samples_own_id_wins_over_its_question(tmp_path: Path):
    rows = [
        {"id": "other", "question": ASKED.query, "answer": "No."},
        {"id": ASKED.id, "answer": "Yes."},
    ]

    assert answers(read(tmp_path / "o.jsonl", *rows)) == ["Yes."]


def test_where_lines_of_two_ids_ask_the_same_the_question_names_none(tmp_path: Path):
    rows = [{"id": name, "question": ASKED.query, "answer": name} for name in ("a", "b")]

    assert answers(read(tmp_path / "o.jsonl", *rows)) == []


def test_lines_that_are_mapped_are_runs_as_any_others(tmp_path: Path):
    rows = [{"user_input": ASKED.query, "response": text} for text in ("one", "two")]

    assert answers(read(tmp_path / "o.jsonl", *rows, preset="ragas")) == ["one", "two"]
