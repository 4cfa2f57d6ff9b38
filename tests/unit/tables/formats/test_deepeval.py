"""Test cases and test runs of DeepEval as recorded outputs."""

from __future__ import annotations

from pathlib import Path

from tests.unit.tables.formats.exported import REFUNDS, exported, holds_the_shop, lines


def test_a_test_run_holds_answers_and_passages():
    found = exported("deepeval", "deepeval_test_run.json")

    holds_the_shop(found, ids=False)
    assert found[REFUNDS].references == ("Ten days.",)
    assert found[REFUNDS].latency_s == 1.5


def test_passages_of_saved_test_cases_are_divided_by_bars(tmp_path: Path):
    row = {"input": REFUNDS, "actual_output": "Ten.", "retrieval_context": "One|Two"}

    (found,) = exported("deepeval", lines(tmp_path / "cases.jsonl", row)).values()

    assert found.passages is not None
    assert [one.text for one in found.passages] == ["One", "Two"]
