"""Questions of production traces, as drafts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.contrib.golden.importing import Import, import_golden
from ragate.dataset import Entry, read_entries
from ragate.errors import DatasetError
from tests.contrib.golden.importers.imports import REFUNDS, SHIPPING

FILES = Path(__file__).parents[3] / "fixtures" / "recorded_outputs"


def bring(folder: Path, kind: str, file: str | Path) -> tuple[Import, dict[str, Entry]]:
    output = folder / "golden.jsonl"
    found = import_golden(kind, FILES / file, output, texts=None)
    return found, {entry.sample.query: entry for entry in read_entries(output)}


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("langfuse", "langfuse_observations.csv"),
        ("langfuse", "langfuse_traces.jsonl"),
        ("phoenix", "phoenix_spans.csv"),
        ("otel", "otlp_genai.jsonl"),
        ("otel", "otel_console.jsonl"),
    ],
)
def test_questions_of_traces_are_drafts_that_label_nothing(
    tmp_path: Path, kind: str, file: str
) -> None:
    _, entries = bring(tmp_path, kind, file)

    assert entries.keys() == {REFUNDS, SHIPPING}
    for entry in entries.values():
        assert entry.draft
        assert (entry.sample.relevant, entry.sample.references, entry.drafted) == ({}, (), ())


def test_what_was_answered_and_retrieved_stays_for_whoever_labels_it(tmp_path: Path) -> None:
    _, entries = bring(tmp_path, "langfuse", "langfuse_observations.csv")

    assert entries[REFUNDS].sample.metadata == {
        "source": "langfuse",
        "trace": "trace-0",
        "recorded_answer": "Ten days at most.",
        "retrieved": "refunds.md; warranty.txt",
    }


def test_the_turns_before_a_question_are_kept(tmp_path: Path) -> None:
    _, entries = bring(tmp_path, "langfuse", "langfuse_traces.jsonl")

    turns = [(turn.role, turn.content) for turn in entries[REFUNDS].sample.messages]
    assert turns == [("user", "Hello"), ("assistant", "Hello! What is it about?")]


@pytest.mark.parametrize(
    ("kind", "file"),
    [("langfuse", "langfuse_dataset_items.json"), ("phoenix", "phoenix_experiment.json")],
)
def test_what_people_gave_a_reference_is_no_draft(tmp_path: Path, kind: str, file: str) -> None:
    _, entries = bring(tmp_path, kind, file)

    assert [entry.draft for entry in entries.values()] == [False, False]
    assert entries[SHIPPING].sample.references == ("We do.",)


def test_a_question_that_many_asked_is_taken_once(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    questions = ["Why?", " why? ", "How?"]
    path.write_text(
        "".join(json.dumps({"id": q, "input": q, "output": "."}) + "\n" for q in questions)
    )

    found, entries = bring(tmp_path, "langfuse", path)

    assert len(entries) == 2
    assert found.notes["left out: a question that was asked before in this file"] == 1


def test_nothing_is_written_where_no_question_is_found(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text('{"id": "t", "input": {"job": 7}, "output": null}\n')

    with pytest.raises(DatasetError, match="no question"):
        bring(tmp_path, "langfuse", path)

    assert not (tmp_path / "golden.jsonl").exists()
