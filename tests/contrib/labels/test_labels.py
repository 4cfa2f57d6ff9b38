"""The file of labels: what it may hold, and how a wrong line is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.labels.labels import read_labels
from ragate.errors import DatasetError

ROW = {
    "id": "a1",
    "question": "How long?",
    "contexts": ["Kept 30 days."],
    "answer": "30 days. [1]",
    "reference": "30 days.",
    "criterion": "faithfulness",
    "label": True,
}


def write(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "labels.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines))
    return path


def test_a_label_is_an_answer_with_what_was_said_of_it(tmp_path: Path) -> None:
    (label,) = read_labels(write(tmp_path, ROW))

    assert label.sample.id == "a1"
    assert label.sample.query == "How long?"
    assert label.sample.references == ("30 days.",)
    assert [chunk.text for chunk in label.output.chunks] == ["Kept 30 days."]
    assert label.output.answer == "30 days. [1]"
    assert (label.criterion, label.label) == ("faithfulness", True)


def test_a_grade_is_a_number_and_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    row = {"query": "Q?", "answer": "A.", "criterion": "correctness", "label": 4}

    (label,) = read_labels(write(tmp_path, "", row))

    assert label.label == 4.0
    assert not isinstance(label.label, bool)
    assert label.sample.id == "line-2"
    assert label.sample.answerable
    assert label.output.chunks == ()


@pytest.mark.parametrize(
    ("criterion", "grade"),
    [("correctness", 1), ("correctness", 5.0), ("context_relevancy", 0), ("of_a_plugin", 9)],
)
def test_a_grade_may_be_anything_on_its_scale(tmp_path: Path, criterion: str, grade: float) -> None:
    (label,) = read_labels(write(tmp_path, ROW | {"criterion": criterion, "label": grade}))

    assert label.label == grade


def test_one_answer_may_have_labels_for_several_criteria(tmp_path: Path) -> None:
    rows = read_labels(write(tmp_path, ROW, ROW | {"criterion": "relevancy", "label": False}))

    assert [(row.criterion, row.label) for row in rows] == [
        ("faithfulness", True),
        ("relevancy", False),
    ]


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"label": "yes"}, "label = 'yes': must be true, false or a grade"),
        ({"label": None}, "label = None"),
        ({"anser": "x"}, "unknown field 'anser'; did you mean 'answer'?"),
        ({"query": "x"}, "'query' stands twice"),
        ({"question": " "}, "query = ' '"),
        ({"label": 7.5}, "label = 7.5: faithfulness goes from 0 to 1"),
        ({"label": -0.1}, "label = -0.1: faithfulness goes from 0 to 1"),
        ({"label": 9, "criterion": "correctness"}, "label = 9: correctness goes from 1 to 5"),
        ({"label": 0, "criterion": "correctness"}, "label = 0: correctness goes from 1 to 5"),
        ({"answer": None}, "answer = None: must be text"),
        ({"contexts": [1]}, "contexts = 1: must be text"),
        ({"criterion": 3}, "criterion = 3"),
        ({"answerable": "no"}, "answerable = 'no'"),
        ({"id": "x" * 201}, "at most 200 characters"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, changes: dict[str, Any], shown: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read_labels(write(tmp_path, ROW, ROW | {"id": "a2"} | changes))

    assert "labels.jsonl:2" in str(caught.value)
    assert shown in str(caught.value)


@pytest.mark.parametrize("name", ["question", "answer", "criterion", "label"])
def test_what_a_label_needs(tmp_path: Path, name: str) -> None:
    row = {key: value for key, value in ROW.items() if key != name}

    with pytest.raises(DatasetError, match="is missing"):
        read_labels(write(tmp_path, row))


def test_a_label_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"labels\.jsonl:2: 'a1' has a label for faithfulness"):
        read_labels(write(tmp_path, ROW, ROW))


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"label": NaN}'])
def test_a_file_without_labels_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(DatasetError):
        read_labels(write(tmp_path, text))
