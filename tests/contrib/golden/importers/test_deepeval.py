"""Goldens of DeepEval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.errors import DatasetError
from ragate.version import MANUAL
from tests.contrib.golden.importers.imports import OSLO, REFUNDS, SHIPPING, bring


@pytest.mark.parametrize("ending", ["jsonl", "csv", "json"])
def test_goldens_of_deepeval_are_placed_by_file_and_passage(tmp_path: Path, ending: str) -> None:
    found, samples = bring(tmp_path, "deepeval", f"deepeval_goldens.{ending}")

    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples[REFUNDS].metadata["comments"] == "checked"
    assert samples[REFUNDS].metadata["synthetic_input_quality"] == 0.9
    assert samples[SHIPPING].expected == {"shipping.md", "warranty.txt"}
    assert samples[SHIPPING].metadata == {"team": "sales"}
    assert samples[OSLO].references == ()
    assert f"left out: actual_output, a recorded output ({MANUAL}/replay.md)" in found.notes


def test_a_file_name_labels_nothing_where_the_corpus_is_not_known(tmp_path: Path) -> None:
    found, samples = bring(tmp_path, "deepeval", "deepeval_goldens.json", None)

    assert samples[REFUNDS].relevant == {}
    assert samples[REFUNDS].metadata["source_file"] == "shop/refunds.md"
    assert (found.labelled, found.unplaced.contexts, found.unplaced.sources) == (0, 3, 1)


def test_a_scenario_without_turns_says_why_nothing_came(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no sample could be imported: left out: a conv"):
        bring(tmp_path, "deepeval", "deepeval_conversations.json")


def test_a_conversational_golden_is_its_last_question_after_its_turns(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    turns = [
        {"role": "user", "content": "Can I send shoes back?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": REFUNDS},
        {"role": "assistant", "content": "Ten days."},
    ]
    path.write_text(
        json.dumps([{"scenario": "Refunds", "turns": turns, "expected_output": "Ten."}])
    )

    found, samples = bring(tmp_path, "deepeval", path)

    assert samples[REFUNDS].turns == turns[:2]
    assert samples[REFUNDS].metadata == {"scenario": "Refunds"}
    assert any("the answer to the last question" in note for note in found.notes)


@pytest.mark.parametrize("name", ["expected_answer", "expected"])
def test_other_names_of_a_right_answer_are_references(tmp_path: Path, name: str) -> None:
    path = tmp_path / "goldens.jsonl"
    path.write_text(json.dumps({"input": REFUNDS, name: "Ten days."}))

    _, samples = bring(tmp_path, "deepeval", path)

    assert samples[REFUNDS].references == ("Ten days.",)
