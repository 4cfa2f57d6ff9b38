"""Tests of promptfoo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.errors import DatasetError, UsageError
from tests.unit.dataset.importers.imports import OSLO, REFUNDS, SHIPPING, bring


def test_tests_of_promptfoo_become_samples(tmp_path: Path) -> None:
    found, samples = bring(tmp_path, "promptfoo", "promptfoo.yaml")

    assert samples[REFUNDS].references == ("Ten days at most.",)
    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples[REFUNDS].metadata["team"] == "sales"
    assert samples[REFUNDS].metadata["language"] == "en"
    assert json.loads(str(samples[REFUNDS].metadata["assert.1"])) == {
        "type": "icontains",
        "value": "days",
    }
    assert samples[SHIPPING].references == ("The shop.", "The shop pays.")
    assert samples[OSLO].answerable is False
    assert "left out: a question that stands in a file of its own" in found.notes
    assert "left out: the assertions of defaultTest" in found.notes


def test_a_result_file_of_promptfoo_holds_its_tests(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"results": {}, "config": {"tests": [{"vars": {"q": "A?"}}]}}))

    assert set(bring(tmp_path, "promptfoo", path)[1]) == {"A?"}


def test_the_variable_of_the_question_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "tests.yaml"
    path.write_text("- vars: {topic: lamps, ask: [A?, B?]}\n")

    with pytest.raises(DatasetError, match=r"which variable is the question\? It has topic, ask"):
        bring(tmp_path, "promptfoo", path)
    _, samples = bring(tmp_path, "promptfoo", path, query_name="ask")

    assert list(samples) == ["A?", "B?"]
    with pytest.raises(UsageError):
        bring(tmp_path, "ragas", path, query_name="ask")


def test_a_variable_that_holds_a_conversation_is_the_turns_before_the_question(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tests.yaml"
    path.write_text("- vars: {q: B?, history: [{role: user, content: A?}]}\n")

    _, samples = bring(tmp_path, "promptfoo", path)

    assert samples["B?"].turns == [{"role": "user", "content": "A?"}]
    assert samples["B?"].metadata == {}


@pytest.mark.parametrize("name", ["expected_answer", "expected"])
def test_a_variable_with_the_right_answer_is_a_reference(tmp_path: Path, name: str) -> None:
    path = tmp_path / "tests.json"
    path.write_text(json.dumps([{"vars": {"question": REFUNDS, name: "Ten days."}}]))

    _, samples = bring(tmp_path, "promptfoo", path)

    assert samples[REFUNDS].references == ("Ten days.",)
    assert samples[REFUNDS].metadata == {}
