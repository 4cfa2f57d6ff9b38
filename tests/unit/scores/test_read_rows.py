"""The rows of a file of scores: what is a score, what is none, and what is refused."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import DatasetError, UsageError
from ragate.scores.read_rows import number_or_lack, read_scores
from ragate.scores.scored_row import Lack, ScoredRow

Record = Mapping[str, Any]


def rows(tmp_path: Path, *records: Record, reader: str = "") -> list[ScoredRow]:
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    return list(read_scores(path, reader).rows)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1.0),
        (" Yes ", 1.0),
        ("FAILED", 0.0),
        ("85 %", 0.85),
        ("1e-1", 0.1),
        (2, 2.0),
    ],
)
def test_words_shares_and_numbers_as_text_are_scores(value: Any, number: float) -> None:
    assert number_or_lack(value) == number


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "null"),
        ("1_000", "'1_000'"),
        ("often", "'often'"),
        ([1], "'[1]'"),
        ("inf", "inf"),
        (10**400, "a number beyond all measure"),
    ],
    ids=repr,
)
def test_anything_else_is_none_with_what_the_file_says(value: Any, reason: str) -> None:
    assert number_or_lack(value) == Lack(f"the file says {reason}")


def test_a_row_that_sums_up_the_others_is_left_out_and_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,zeal\nq1,0.5\nq2,0.7\nMean,0.6\n")
    file = read_scores(path)

    assert [row.key for row in file.rows] == ["q1", "q2"]
    assert list(file.left_out) == ["the row 'Mean'"]


def test_an_object_that_only_passed_scores_1_and_one_that_failed_to_run_nothing(
    tmp_path: Path,
) -> None:
    metrics = [
        {"name": "Zeal", "success": True},
        {"name": "Tact", "success": True, "score": 0.7, "threshold": 0.5},
        {"name": "Wit", "success": False, "score": 0.1, "error": "timeout"},
    ]
    test = {"input": "Why?", "success": True, "metricsData": metrics}
    row, whole = rows(tmp_path, test, {**test, "metricsData": metrics[:2]})

    lost = Lack("timeout")
    assert row.scores == {"Zeal": 1.0, "Tact": 0.7, "Wit": lost, "passed": lost}
    assert row.marks == {"Tact": 0.5}
    assert row.flags == {"Zeal": True, "Tact": True, "Wit": False}
    assert whole.scores == {"Zeal": 1.0, "Tact": 0.7, "passed": 1.0}


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"id": "q1", "scores": {"": 1}}, "a score without a name"),
        ({"id": "q1", "zeal": 1, "scores": {"zeal": 0}}, "two scores of 'zeal'"),
        ({"id": "q" * 161, "zeal": 1}, "an id of 161 characters"),
        ({"id": "q1", "run": 1.5, "zeal": 1}, "run '1.5': must be a whole number"),
    ],
    ids=str,
)
def test_a_row_that_cannot_be_is_refused_with_its_place(
    tmp_path: Path, record: Record, problem: str
) -> None:
    with pytest.raises(DatasetError, match=f":1: {problem}"):
        rows(tmp_path, record, reader="plain")


def test_a_reader_that_is_none_or_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no reader 'ragass'"):
        rows(tmp_path, {"id": "q1", "zeal": 1}, reader="ragass")
    with pytest.raises(DatasetError, match="is no file of inspect: it is lines and has id, zeal"):
        rows(tmp_path, {"id": "q1", "zeal": 1}, reader="inspect")


@pytest.mark.parametrize("absent", [math.nan, math.inf, -math.inf])
def test_an_answer_that_the_file_has_as_no_finite_number_is_none(
    tmp_path: Path, absent: float
) -> None:
    lost, answered = rows(
        tmp_path,
        {"id": "q1", "answer": absent, "zeal": 0.0},
        {"id": "q2", "answer": 12.0, "zeal": 1.0},
    )

    assert (lost.details.answer, answered.details.answer) == (None, "12.0")


def test_what_is_called_passed_counts_beside_a_column_of_words(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, {"id": "q1", "topic": "bills", "passed": True, "zeal": 0.5})

    assert row.scores == {"topic": Lack("the file says 'bills'"), "zeal": 0.5, "passed": 1.0}


def test_a_test_that_claims_to_have_passed_without_a_score_was_not_measured(tmp_path: Path) -> None:
    scores = [
        row.scores
        for row in rows(
            tmp_path,
            {"input": "Why?", "success": True, "metricsData": [{"name": "Zeal", "score": 1}]},
            {"input": "How?", "success": True, "metricsData": []},
        )
    ]

    assert scores == [
        {"Zeal": 1.0, "passed": 1.0},
        {"passed": Lack("no score stands beside it")},
    ]


def test_an_object_under_a_metrics_name_is_its_score_and_other_numbers_in_objects_are_named(
    tmp_path: Path,
) -> None:
    path = tmp_path / "scores.jsonl"
    record = {
        "id": "q1",
        "faithfulness": {"score": 0.9, "reason": "so"},
        "recall": {"score": None},
        "my_judge": {"score": 0.5},
        "judged": '{"tact": 0.5}',
        "hits": [{"title": "Bills", "score": 0.3}],
        "author": {"name": "Ada"},
        "latency": {"value": 3},
    }
    path.write_text(json.dumps([record]))
    file = read_scores(path, "plain")
    (row,) = file.rows

    assert row.scores == {"faithfulness": 0.9, "recall": Lack("the file says null")}
    assert row.details.reasons == {"faithfulness": "so"}
    assert list(file.left_out) == ["my_judge", "judged", "hits"]


@pytest.mark.parametrize("error", [None, "", "None", "null", "nan", float("nan"), False, [], {}])
def test_what_says_that_there_was_no_error_takes_no_score_back(tmp_path: Path, error: Any) -> None:
    (row,) = rows(tmp_path, {"id": "q1", "zeal": 0.5, "error": error}, reader="plain")

    assert row.scores == {"zeal": 0.5}


def test_a_score_in_a_cell_is_read_below_one_of_other_numbers(tmp_path: Path) -> None:
    first, second = rows(
        tmp_path,
        {"id": "q1", "recall": '{"hits": 3}', "zeal": 0.5},
        {"id": "q2", "recall": '{"score": 0.9}', "zeal": 0.5},
    )

    assert (first.scores, second.scores) == ({"zeal": 0.5}, {"zeal": 0.5, "recall": 0.9})
