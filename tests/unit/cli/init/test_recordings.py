"""Recorded outputs in fields of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.init.recordings import recorded_settings
from ragate.cli.init.survey import look

LINE: dict[str, Any] = {
    "prompt": "When does the workshop open?",
    "completion": "It opens at eight.",
    "retrieved": [{"file": "opening.md", "body": "The workshop opens at eight."}],
}


def found_in(root: Path) -> dict[str, dict[str, Any]]:
    return {pattern: recorded_settings(root, pattern) for pattern in look(root).recorded}


def only(root: Path) -> str:
    (pattern,) = found_in(root)
    return pattern


def record(root: Path, *rows: object, name: str = "results/run.jsonl") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_fields_of_their_own_are_read_by_pointers(tmp_path: Path):
    record(tmp_path, LINE)

    pointers = {
        "question": "/prompt",
        "answer": "/completion",
        "contexts": "/retrieved/*/body",
        "ids": "/retrieved/*/file",
    }
    assert found_in(tmp_path) == {"results/*.jsonl": {"pointers": pointers}}


@pytest.mark.parametrize(
    "row", [{"event": "log line", "level": 3}, {"completion": "No question."}, [1], "text", None]
)
def test_lines_without_a_question_and_an_answer_are_no_recordings(tmp_path: Path, row: object):
    record(tmp_path, row)

    assert not found_in(tmp_path)


def test_a_link_out_of_the_project_is_not_read(tmp_path: Path):
    outside = record(tmp_path / "outside", LINE)
    root = tmp_path / "project"
    (root / "results").mkdir(parents=True)
    (root / "results/run.jsonl").symlink_to(outside)
    (root / "outputs").symlink_to(outside.parent)

    assert not found_in(root)


@pytest.mark.parametrize(
    "name", ["run.jsonl", "my logs/run.jsonl", "data/2026/run.jsonl", "a[b]/r.jsonl"]
)
def test_recordings_in_a_folder_of_any_name_are_found_by_answer_and_passages(
    tmp_path: Path, name: str
):
    record(tmp_path, LINE, name=name)

    pattern = only(tmp_path)

    assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.glob(pattern)] == [name]


def test_questions_with_answers_alone_are_recordings_only_in_a_folder_that_says_so(tmp_path: Path):
    row = {"prompt": "When?", "completion": "At eight."}
    record(tmp_path, row, name="data/training.jsonl")
    assert not found_in(tmp_path)

    record(tmp_path, row, name="answers/run.jsonl")
    assert only(tmp_path) == "answers/*.jsonl"


@pytest.mark.parametrize("name", ["evals/set.jsonl", "golden.jsonl", "data/testset.jsonl"])
def test_a_golden_set_with_passages_is_no_recording(tmp_path: Path, name: str):
    record(tmp_path, LINE, name=name)

    assert not found_in(tmp_path)
