"""Tables of questions that no tool wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.errors import DatasetError
from ragate.version import MANUAL
from tests.contrib.golden.importers.imports import SHOP, bring


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


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_column_that_numbers_the_rows_is_no_field_of_them(tmp_path: Path, name: str) -> None:
    text = f"{name},question,ground_truth\n0,What is A?,It is A.\n1,What is B?,\n"

    found, samples = bring(tmp_path, "table", table(tmp_path, text), None)

    assert samples["What is A?"].references == ("It is A.",)
    assert samples["What is B?"].references == ()
    assert all(sample.relevant == {} and sample.metadata == {} for sample in samples.values())
    assert not {"0", "1"} & {sample.id for sample in samples.values()}
    assert any("which numbers the rows" in note for note in found.notes)


def test_fields_of_a_golden_set_keep_their_meaning_beside_columns_of_ones_own(
    tmp_path: Path,
) -> None:
    text = "question,answerable,must_pass,tags,owner\nOffice in Lisbon?,no,yes,'geo',ann\n"

    _, samples = bring(tmp_path, "table", table(tmp_path, text.replace("'", "")), None)

    sample = samples["Office in Lisbon?"]
    assert (sample.answerable, sample.must_pass, sample.tags) == (False, True, ("geo",))
    assert sample.metadata == {"owner": "ann"}


def test_a_known_field_with_another_value_is_refused(tmp_path: Path) -> None:
    text = "question,answerable\nOffice in Lisbon?,maybe\n"

    with pytest.raises(DatasetError, match="answerable = 'maybe': must be true or false"):
        bring(tmp_path, "table", table(tmp_path, text), None)


@pytest.mark.parametrize(
    "rows",
    [
        {"question": ["A?", "B?"], "ground_truth": ["x", "y"]},
        {"question": {"0": "A?", "1": "B?"}, "ground_truth": {"0": "x", "1": "y"}},
    ],
)
def test_columns_are_rows(tmp_path: Path, rows: dict[str, object]) -> None:
    _, samples = bring(tmp_path, "table", table(tmp_path, json.dumps(rows), "a.json"), None)

    assert {key: sample.references for key, sample in samples.items()} == {
        "A?": ("x",),
        "B?": ("y",),
    }
