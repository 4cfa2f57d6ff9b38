"""Test sets of Ragas."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ragate.version import MANUAL
from tests.contrib.golden.importers.imports import OSLO, REFUNDS, SHOP, bring


@pytest.mark.parametrize("ending", ["jsonl", "csv", "json"])
def test_a_test_set_of_ragas_is_placed_by_its_passages(tmp_path: Path, ending: str) -> None:
    found, samples = bring(tmp_path, "ragas", f"ragas_testset.{ending}")

    assert samples[REFUNDS].relevant == {"refunds.md": 1}
    assert samples[REFUNDS].references == ("Ten days at most.",)
    assert samples[REFUNDS].metadata["persona_name"] == "Shopper"
    both = samples["Who pays for shipping, and how long is the warranty?"]
    assert both.expected == {"shipping.md", "warranty.txt"}
    assert samples[OSLO].relevant == {}
    assert json.loads(str(samples[OSLO].metadata["reference_contexts"])) == [
        "A text that no page holds."
    ]
    assert (found.samples, found.labelled, found.unplaced.contexts) == (3, 2, 1)


def test_ids_of_ragas_are_taken_and_recorded_outputs_are_not(tmp_path: Path) -> None:
    found, samples = bring(tmp_path, "ragas", "ragas_evaluation.jsonl")

    assert samples[REFUNDS].relevant == {"refunds.md": 1}
    assert samples[REFUNDS].metadata == {}
    assert f"left out: response, a recorded output ({MANUAL}/replay.md)" in found.notes
    assert f"left out: retrieved_contexts, a recorded output ({MANUAL}/replay.md)" in found.notes


def test_the_format_of_ragas_before_0_2_is_read(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    row = {"question": REFUNDS, "contexts": [SHOP["refunds.md"]], "ground_truth": "Ten days."}
    path.write_text(json.dumps(row))

    _, samples = bring(tmp_path, "ragas", path)

    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples[REFUNDS].references == ("Ten days.",)


def test_a_conversation_of_ragas_is_its_last_question_after_its_turns(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    said = [("human", "Hi"), ("ai", "Hello"), ("tool", "{}"), ("human", REFUNDS), ("ai", "Soon.")]
    turns = [{"type": role, "content": text} for role, text in said]
    path.write_text(json.dumps({"user_input": turns, "reference": "Ten days."}))

    found, samples = bring(tmp_path, "ragas", path)

    assert [(turn.role, turn.content) for turn in samples[REFUNDS].messages] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]
    assert samples[REFUNDS].references == ("Ten days.",)
    assert "left out: turns of the role 'tool'" in found.notes


def test_a_conversation_in_a_cell_of_a_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "talk.csv"
    turns = [{"type": "human", "content": "Hi"}, {"type": "human", "content": REFUNDS}]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["user_input", "reference"], [str(turns), "Ten days."]])

    _, samples = bring(tmp_path, "ragas", path)

    assert len(samples[REFUNDS].messages) == 1


def test_equal_questions_after_other_turns_are_two_samples(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    rows = [
        {
            "user_input": [
                {"type": "human", "content": first},
                {"type": "human", "content": "Why?"},
            ],
            "reference": "So.",
        }
        for first in ("Is it late?", "Is it broken?")
    ]
    path.write_text("\n".join(map(json.dumps, rows)))

    found, _ = bring(tmp_path, "ragas", path)

    assert found.samples == 2


@pytest.mark.parametrize("name", ["expected_answer", "expected"])
def test_other_names_of_a_right_answer_are_references(tmp_path: Path, name: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"user_input": REFUNDS, name: "Ten days."}))

    _, samples = bring(tmp_path, "ragas", path)

    assert samples[REFUNDS].references == ("Ten days.",)
    assert samples[REFUNDS].metadata == {}
