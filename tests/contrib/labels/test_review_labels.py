"""The file of review labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.labels.labels import add_review_labels, read_review_labels
from ragate.contrib.labels.review_label import ReviewLabel, ReviewVerdict
from ragate.errors import DatasetError

PAGE = Path(__file__).parents[3] / "docs" / "calibrate.md"


def label_row(**fields: Any) -> dict[str, Any]:
    known = {
        "gate": "docs",
        "id": "q1",
        "commit": "a" * 40,
        "verdict": "worse",
        "reason": "the deadline is gone",
        "who": "Ada",
        "blind": True,
        "sample": "0" * 16,
        "before": "1" * 16,
        "after": "2" * 16,
    }
    return known | fields


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_label_is_read_with_all_its_fields(tmp_path):
    (label,) = read_review_labels(written(tmp_path / "reviews.jsonl", label_row()))

    assert label.model_dump(mode="json") == label_row()


def test_a_label_that_was_added_is_read_back(tmp_path):
    label = ReviewLabel.model_validate(label_row())
    add_review_labels(tmp_path / "reviews.jsonl", [label])

    assert read_review_labels(tmp_path / "reviews.jsonl") == [label]


def test_adding_keeps_every_other_byte_and_begins_a_line_of_its_own(tmp_path):
    path = tmp_path / "reviews.jsonl"
    there = b'\xef\xbb\xbf{"blind":  false}\r\n\n{"no": "line end"}'
    path.write_bytes(there)
    add_review_labels(path, [ReviewLabel.model_validate(label_row())])

    added = path.read_bytes().removeprefix(there)
    assert added.startswith(b"\n{")
    assert added.endswith(b"}\n")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (["worse"], "a label is an object"),
        (label_row(verdikt="worse"), "unknown field 'verdikt'; did you mean 'verdict'?"),
        (label_row(verdict="bad"), "verdict = 'bad': Input should be 'better'"),
        (label_row(commit="main"), "commit = 'main'"),
        (label_row(before="12"), "before = '12'"),
        (label_row(who=""), "who = ''"),
        (label_row(blind="perhaps"), "blind = 'perhaps'"),
        ({"gate": "docs"}, "'id' is missing"),
    ],
)
def test_what_is_no_label_is_named_with_line_field_and_value(tmp_path, row, told):
    path = written(tmp_path / "reviews.jsonl", label_row(), row)

    with pytest.raises(DatasetError) as caught:
        read_review_labels(path)

    assert f"{path}:2: " in caught.value.message
    assert told in caught.value.message
    assert caught.value.remedy


def test_two_words_of_one_person_on_one_pair_name_both_lines(tmp_path):
    path = written(tmp_path / "reviews.jsonl", label_row(), label_row(verdict="better"))

    with pytest.raises(DatasetError, match=r"reviews.jsonl:2: .*reviews.jsonl:1"):
        read_review_labels(path)


def test_two_people_may_differ_on_one_pair(tmp_path):
    path = written(tmp_path / "reviews.jsonl", label_row(), label_row(who="Bo", verdict="better"))

    assert [label.verdict for label in read_review_labels(path)] == [
        ReviewVerdict.WORSE,
        ReviewVerdict.BETTER,
    ]


def test_the_label_of_the_manual_is_one(tmp_path):
    block = PAGE.read_text().split("```json\n")[2].split("```", 1)[0]
    (tmp_path / "reviews.jsonl").write_text(block)

    assert [label.who for label in read_review_labels(tmp_path / "reviews.jsonl")] == ["Ada"]
