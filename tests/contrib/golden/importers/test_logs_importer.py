"""Questions of a product's own logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.golden.importers import Notes, read_foreign
from ragate.errors import DatasetError
from ragate.tables.traced import Exchange


def line(query: str, **more: Any) -> dict[str, Any]:
    hits = [{"chunk_id": "a.md::1", "text": "A"}, {"chunk_id": "a.md::2", "text": "B"}]
    return {"user_query": query, "llm": {"response": "So."}, "retrieved": hits, **more}


def read(path: Path, *rows: dict[str, Any]) -> tuple[list[Exchange], Notes]:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    notes = Notes()
    return list(read_foreign("logs", path, notes)), notes


def test_each_question_is_a_draft_once_with_how_often_it_was_asked(tmp_path: Path):
    rows = [line("How long does a repair take?"), line("how long does a repair take"), line("Why?")]

    (first, second), _ = read(tmp_path / "a.jsonl", *rows)

    assert (first.query, first.metadata["asked"], first.own["draft"]) == (
        rows[0]["user_query"],
        2,
        True,
    )
    assert first.metadata["recorded_answer"] == "So."
    assert first.metadata["retrieved"] == "a.md"
    assert (first.id, second.id) == ("log-001", "log-002")


def test_a_question_keeps_the_first_documents_that_came_back(tmp_path: Path):
    hits = [{"chunk_id": f"page-{n}.md::1", "text": "A"} for n in range(25)]

    (asked,), _ = read(tmp_path / "a.jsonl", {**line("Why?"), "retrieved": hits})

    assert str(asked.metadata["retrieved"]).split("; ") == [f"page-{n}.md" for n in range(20)]


def test_questions_that_are_nearly_the_same_are_one(tmp_path: Path):
    rows = [line("How long do the parcels take abroad?"), line("How long do parcels take abroad?")]

    (merged,), _ = read(tmp_path / "a.jsonl", *rows)

    assert merged.metadata["asked"] == 2


def test_what_nobody_liked_comes_first(tmp_path: Path):
    rows = [line("Asked twice?"), line("Asked twice?"), line("Bad one?", feedback="down")]

    (first, _), _ = read(tmp_path / "a.jsonl", *rows)

    assert (first.query, first.metadata["disliked"]) == ("Bad one?", 1)


@pytest.mark.parametrize(
    ("query", "personal"),
    [
        ("Mail me at jo.doe@example.org", "an address"),
        ("Call +49 170 1234567 now", "a number"),
        ("What about rule 12 of 2024?", None),
    ],
)
def test_addresses_and_numbers_of_persons_are_named(
    tmp_path: Path, query: str, personal: str | None
):
    (asked,), notes = read(tmp_path / "a.jsonl", line(query))

    assert asked.metadata.get("personal") == personal
    assert bool(notes) == (personal is not None)


def test_a_folder_of_logs_is_one_log(tmp_path: Path):
    for month in ("09", "10"):
        (tmp_path / f"{month}.jsonl").write_text(json.dumps(line("Why is that so?")))

    (asked,) = read_foreign("logs", tmp_path, Notes())

    assert asked.metadata["asked"] == 2


@pytest.mark.parametrize("rows", [[{"colour": "red"}], [{"level": "info", "ms": 3}]])
def test_a_log_without_questions_is_told(tmp_path: Path, rows: list[dict[str, Any]]):
    with pytest.raises(DatasetError, match="no field of its lines is seen to be the question"):
        read(tmp_path / "a.jsonl", *rows)


def test_a_folder_without_logs_is_told(tmp_path: Path):
    with pytest.raises(DatasetError, match="holds no log"):
        list(read_foreign("logs", tmp_path, Notes()))
