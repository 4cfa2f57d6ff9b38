"""Spans, experiments and data sets of Phoenix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.tables.formats.exported import REFUNDS, exported, holds_the_shop


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_spans_of_a_data_frame_and_of_the_api_are_put_together(ending: str):
    found = exported("phoenix", f"phoenix_spans.{ending}")

    holds_the_shop(found, ids=True)
    assert found[REFUNDS].latency_s == 2.0


def test_spans_that_the_real_package_exported_are_put_together():
    holds_the_shop(exported("phoenix", "phoenix_written.csv"), ids=True)


def test_the_scores_of_retrieved_documents_are_kept():
    found = exported("phoenix", "phoenix_spans.csv")[REFUNDS]

    assert found.passages is not None
    assert [one.score for one in found.passages] == [0.91, 0.33]


def test_runs_of_an_experiment_have_answers_and_references():
    found = exported("phoenix", "phoenix_experiment.json")

    holds_the_shop(found, ids=True)
    assert found[REFUNDS].references == ("Ten days.",)


def test_the_output_of_a_data_sets_example_is_the_right_answer(tmp_path: Path):
    path = tmp_path / "examples.json"
    row = {"id": "x", "input": {"question": REFUNDS}, "output": {"answer": "Ten."}, "metadata": {}}
    path.write_text(json.dumps({"data": {"examples": [row]}}))

    (found,) = exported("phoenix", path).values()

    assert (found.answer, found.references) == (None, ("Ten.",))
