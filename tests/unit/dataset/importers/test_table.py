"""Tables of questions that no tool wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.dataset._importers import looks_like_questions
from ragate.errors import DatasetError
from ragate.version import MANUAL
from tests.unit.dataset.importers.imports import SHOP, bring


def table(folder: Path, text: str, name: str = "questions.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_columns_are_known_by_the_names_that_people_give_them(tmp_path: Path) -> None:
    path = table(tmp_path, "Question,Expected Answer,Source,team\nHow long?,Ten days.,refunds,a\n")

    found, samples = bring(tmp_path, "table", path)

    sample = samples["How long?"]
    assert sample.expected == {"refunds.md"}
    assert sample.references == ("Ten days.",)
    assert sample.metadata == {"team": "a"}
    assert {
        "'Expected Answer' is read as right answer",
        "'Source' is read as expected documents",
    } < {*found.notes}


def test_without_the_corpus_documents_are_taken_as_they_are_named(tmp_path: Path) -> None:
    rows = [{"input": "A?", "expected_output": "B", "context_ids": ["x.md", "y.md"]}]

    found, samples = bring(tmp_path, "table", table(tmp_path, json.dumps(rows), "set.json"), None)

    assert samples["A?"].expected == {"x.md", "y.md"}
    assert samples["A?"].metadata == {}
    assert found.unplaced.sources == 0


def test_several_documents_stand_in_one_cell(tmp_path: Path) -> None:
    path = table(tmp_path, "question,source\nA?,refunds.md; shipping.md\n")

    assert bring(tmp_path, "table", path)[1]["A?"].expected == {"refunds.md", "shipping.md"}


def test_a_document_that_the_corpus_lacks_stays_expected_for_validate_to_name(tmp_path: Path):
    _, samples = bring(tmp_path, "table", table(tmp_path, "question,source\nA?,gone\n"))

    assert "gone" not in SHOP
    assert samples["A?"].expected == {"gone"}


def test_a_table_without_a_question_names_its_columns(tmp_path: Path) -> None:
    path = table(tmp_path, "topic,source\nA,x.md\n")

    with pytest.raises(DatasetError, match=r"no field holds the question; .*topic, source"):
        bring(tmp_path, "table", path)


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("question,source\nA?,x\n", True),
        ("prompt,answer\nA?,x\n", True),
        ("question,team\nA?,x\n", False),
        ("topic,source\nA?,x\n", False),
        ("", False),
    ],
)
def test_questions_are_told_from_other_tables(tmp_path: Path, text: str, looks: bool) -> None:
    assert looks_like_questions(table(tmp_path, text)) is looks


def test_what_a_system_said_is_left_out_and_never_the_right_answer(tmp_path: Path) -> None:
    rows = [
        {"question": "A?", "answer": "said", "contexts": ["We pay for shipping."], "source": "x"},
        {"question": "B?", "answer": "said", "expected": "right", "latency": 3},
    ]

    found, samples = bring(tmp_path, "table", table(tmp_path, json.dumps(rows), "a.json"), None)

    assert samples["A?"].references == ()
    assert samples["B?"].references == ("right",)
    assert samples["B?"].metadata == {}
    assert f"left out: answer, a recorded output ({MANUAL}/replay.md)" in found.notes


def test_grades_of_documents_stay(tmp_path: Path) -> None:
    rows = '[{"question": "A?", "relevant": {"refunds.md": 2, "shipping.md": 1, "y.md": -1}}]'

    _, samples = bring(tmp_path, "table", table(tmp_path, rows, "a.json"))

    assert samples["A?"].relevant == {"refunds.md": 2, "shipping.md": 1, "y.md": -1}


def test_a_grade_that_is_no_number_is_named(tmp_path: Path) -> None:
    rows = '[{"question": "A?", "relevant": {"x.md": "high"}}]'

    with pytest.raises(DatasetError, match="a grade is a whole number"):
        bring(tmp_path, "table", table(tmp_path, rows, "a.json"), None)
