"""Tests of promptfoo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.errors import DatasetError
from tests.contrib.golden.importers.imports import OSLO, REFUNDS, SHIPPING, bring


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
    path.write_text(
        json.dumps({"results": {}, "config": {"tests": [{"vars": {"q": "A?", "truth": "B"}}]}})
    )

    assert set(bring(tmp_path, "promptfoo", path)[1]) == {"A?"}


def test_the_variable_of_the_question_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "tests.yaml"
    path.write_text("- vars: {topic: lamps, ask: [A?, B?], truth: C}\n")

    with pytest.raises(
        DatasetError, match=r"which variable is the question\? It has topic, ask, truth"
    ):
        bring(tmp_path, "promptfoo", path)
    _, samples = bring(tmp_path, "promptfoo", path, columns={"query": "ask"})

    assert list(samples) == ["A?", "B?"]


def test_a_variable_that_holds_a_conversation_is_the_turns_before_the_question(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tests.yaml"
    path.write_text("- vars: {q: B?, truth: C, history: [{role: user, content: A?}]}\n")

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


def test_a_table_of_tests_is_read_by_itself_and_from_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "tests.csv").write_text(
        "question,__expected,__expected2,__description,__metadata:team\n"
        "Where is it?,Oslo,contains: Norway,capitals,geo\n"
        'Is it far?,"similar(0.8): No, it is near.",,,\n'
    )
    (tmp_path / "pf.yaml").write_text("tests: file://tests.csv\n")

    (tmp_path / "a").mkdir()
    _, from_table = bring(tmp_path / "a", "promptfoo", tmp_path / "tests.csv", None)
    _, from_config = bring(tmp_path, "promptfoo", tmp_path / "pf.yaml", None)

    assert from_table == from_config
    assert from_table["Where is it?"].references == ("Oslo",)
    assert from_table["Where is it?"].metadata["team"] == "geo"
    assert "contains" in str(from_table["Where is it?"].metadata["assert.1"])
    assert from_table["Is it far?"].references == ("No, it is near.",)


def test_a_field_beside_the_variables_is_kept(tmp_path: Path) -> None:
    (tmp_path / "k.yaml").write_text(
        'tests:\n- vars: {question: "What is it?"}\n  expected_keywords: [a, b]\n  owner: ann\n'
    )

    found, samples = bring(tmp_path, "promptfoo", tmp_path / "k.yaml", None)

    assert samples["What is it?"].answer_keywords == (("a",), ("b",))
    assert samples["What is it?"].metadata == {"owner": "ann"}
    assert "kept as metadata: owner" in found.notes
