"""Results of promptfoo as recorded outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.errors import DatasetError
from tests.unit.tables.formats.exported import REFUNDS, SHIPPING, TEXTS, exported, lines


def result(**more: Any) -> dict[str, Any]:
    return {"vars": {"question": REFUNDS}, "response": {"output": "Ten."}, "promptIdx": 0, **more}


def test_an_output_with_its_context_is_taken_apart():
    found = exported("promptfoo", "promptfoo_results.json")[REFUNDS]

    assert (found.answer, found.latency_s) == ("Ten days at most.", 1.25)
    assert found.passages is not None
    assert [one.text for one in found.passages] == [TEXTS["refunds.md"], TEXTS["warranty.txt"]]


def test_an_assertion_that_failed_is_no_failure_of_the_system():
    found = exported("promptfoo", "promptfoo_results.json")[SHIPPING]

    assert (found.answer, found.error) == ("The customer.", "")


def test_a_provider_that_gave_no_answer_is_a_failure_of_the_system():
    found = exported("promptfoo", "promptfoo_results.json")["Is there a shop in Oslo?"]

    assert (found.answer, found.error) == (None, "API error: 500 Internal Server Error")


@pytest.mark.parametrize(
    "more",
    [
        {"response": {"output": "Ten.", "metadata": {"context": ["A"]}}},
        {"vars": {"question": REFUNDS, "context": ["A"]}},
        {"vars": {"question": REFUNDS, "context": "A"}},
    ],
)
def test_passages_stand_in_the_metadata_or_in_the_tests_variables(
    tmp_path: Path, more: dict[str, Any]
):
    (found,) = exported("promptfoo", lines(tmp_path / "o.jsonl", result(**more))).values()

    assert found.passages is not None
    assert [one.text for one in found.passages] == ["A"]


def test_results_of_two_systems_are_not_taken_for_two_runs_of_one(tmp_path: Path):
    rows = [result(provider={"id": name}) for name in ("openai:a", "openai:b")]

    with pytest.raises(DatasetError, match=r"o\.jsonl:2: results of several systems: openai:a"):
        exported("promptfoo", lines(tmp_path / "o.jsonl", *rows))


def test_a_variable_with_an_unusual_name_is_asked_for(tmp_path: Path):
    row = result(vars={"topic": "Refunds", "language": "English"})

    with pytest.raises(DatasetError, match="which variable is the question") as raised:
        exported("promptfoo", lines(tmp_path / "o.jsonl", row))

    assert 'question = "/vars/NAME"' in raised.value.remedy
