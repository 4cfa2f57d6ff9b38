"""Evaluation data sets and results of Ragas as recorded outputs."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ragate.errors import DatasetError
from tests.unit.tables.formats.exported import REFUNDS, exported, lines

OF_RAGAS = Path(__file__).parents[3] / "fixtures" / "golden_sets" / "ragas_evaluation.jsonl"


def test_an_evaluation_data_set_holds_answers_passages_ids_and_references():
    (found,) = exported("ragas", OF_RAGAS).values()

    assert (found.query, found.answer) == (REFUNDS, "Ten days.")
    assert found.references == ("Ten days at most.",)
    assert found.passages is not None
    assert [(one.doc_id, one.text) for one in found.passages] == [("refunds.md", "Refunds arrive.")]


def test_lists_in_the_cells_of_a_table_are_read_as_python_writes_them(tmp_path: Path):
    path = tmp_path / "scores.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["user_input", "retrieved_contexts", "response", "faithfulness"])
        rows.writerow([REFUNDS, str(["It's ten days.", 'He said "no".']), "Ten.", 0.5])

    (found,) = exported("ragas", path).values()

    assert found.passages is not None
    assert [one.text for one in found.passages] == ["It's ten days.", 'He said "no".']


def test_fields_before_0_2_are_read(tmp_path: Path):
    row = {"question": REFUNDS, "answer": "Ten.", "contexts": ["A"], "ground_truth": "10 days"}

    (found,) = exported("ragas", lines(tmp_path / "old.jsonl", row)).values()

    assert (found.answer, found.references) == ("Ten.", ("10 days",))
    assert found.passages is not None


def test_a_conversation_ends_with_its_question_and_its_answer(tmp_path: Path):
    said = [("human", "Hi"), ("ai", "Hello!"), ("human", REFUNDS), ("ai", "Ten days.")]
    row = {"user_input": [{"type": role, "content": text} for role, text in said]}

    (found,) = exported("ragas", lines(tmp_path / "o.jsonl", row)).values()

    assert (found.query, found.answer) == (REFUNDS, "Ten days.")
    assert found.turns == (("user", "Hi"), ("assistant", "Hello!"))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"response": "Ten."}, "there is no user_input; it has response"),
        ({"user_input": [{"type": "ai", "content": "Hi"}]}, "there is no user_input"),
        (
            {"user_input": "?", "retrieved_contexts": ["A", "B"], "retrieved_context_ids": ["a"]},
            "2 retrieved_contexts, and 1 retrieved_context_ids",
        ),
        ({"user_input": "?", "response": 3}, "response = 3: must be text"),
        ({"user_input": "?", "retrieved_contexts": [3]}, "retrieved_contexts: 3: must be text"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, row: object, told: str):
    path = lines(tmp_path / "o.jsonl", {"user_input": "Fine?", "response": "Yes."}, row)

    with pytest.raises(DatasetError) as raised:
        exported("ragas", path)

    assert "o.jsonl:2: " in str(raised.value)
    assert told in str(raised.value)
