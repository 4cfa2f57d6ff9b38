"""The scores of one side as arrays: which rows are runs of a sample, and which complete one."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragate.errors import DatasetError
from ragate.scores.score_table import ScoreTable, read_runs
from ragate.scores.scored_row import Lack


def table(tmp_path: Path, *files: Sequence[Mapping[str, Any]]) -> ScoreTable:
    paths = [tmp_path / f"{number}.jsonl" for number in range(len(files))]
    for path, records in zip(paths, files, strict=True):
        path.write_text("\n".join(json.dumps(record) for record in records))
    return read_runs(paths)


def test_a_line_for_each_metric_completes_the_row_of_its_sample(tmp_path: Path) -> None:
    lines = [
        {"id": key, "metric": metric, "score": score}
        for key, metric, score in [
            ("q1", "zeal", 0.5), ("q1", "tact", 0.7), ("q2", "zeal", 0.1), ("q2", "tact", None)
        ]
    ]  # fmt: skip
    read = table(tmp_path, lines)

    assert read.keys == ["q1", "q2"]
    assert read.values("zeal").tolist() == [[0.5], [0.1]]
    assert np.isnan(read.values("tact")).tolist() == [[False], [True]]
    assert read.lack("tact", 1) == Lack("the file says null")


def test_each_file_is_a_run_with_no_row_of_a_sample_that_it_lacks(tmp_path: Path) -> None:
    both = [{"id": "q1", "zeal": 0.5}, {"id": "q2", "zeal": 0.1}]
    read = table(tmp_path, both, [{"id": "q2", "zeal": 0.2}, {"id": "q3", "zeal": 0.3}])

    assert read.rows.tolist() == [[0, -1], [1, 2], [-1, 3]]


def test_numbered_runs_are_told_apart_whatever_their_order(tmp_path: Path) -> None:
    lines = [("q1", 2, 0.2), ("q2", 1, 0.3), ("q1", 1, 0.1)]
    read = table(tmp_path, [{"id": key, "run": run, "zeal": score} for key, run, score in lines])

    assert read.rows.tolist() == [[2, 0], [1, -1]]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([("q1", 1), ("q2", None)], r"0\.jsonl:2: has no number of its run; others do"),
        ([("q1", 1), ("q1", 1)], "two lines of the sample 'q1' in run 1"),
        (
            [("q1", None), ("q1", None), ("q2", None)],
            "two lines of the sample 'q1', and of other samples 1",
        ),
    ],
)
def test_lines_of_a_sample_that_are_no_runs_of_it_are_refused(
    tmp_path: Path, lines: list[tuple[str, int | None]], problem: str
) -> None:
    with pytest.raises(DatasetError, match=problem):
        table(tmp_path, [{"id": key, "run": run, "zeal": 0.5} for key, run in lines])


def test_lines_of_several_systems_are_no_runs_of_a_sample(tmp_path: Path) -> None:
    ways = ("hybrid", "bm25")
    lines = [
        {"id": f"q{number}", "zeal": 0.5, "topic": "tax", "way": way, "note": f"{number}, {way}"}
        for number in range(3)
        for way in ways
    ]
    with pytest.raises(DatasetError, match="2 lines, of way = 'bm25', 'hybrid': several systems"):
        table(tmp_path, lines)

    one_differs = [*lines[:-1], {**lines[-1], "way": "hybrid"}]
    assert table(tmp_path, one_differs).runs == 2

    assert table(tmp_path, lines[:2]).runs == 2  # of one sample anything tells its lines apart


def test_a_long_column_of_words_is_no_metric(tmp_path: Path) -> None:
    lines = [{"id": f"q{number}", "zeal": 0.5, "mood": "glad"} for number in range(210)]
    read = table(tmp_path, lines)

    assert list(read.columns) == ["zeal"]
    assert read.of_sample(209).words == {"mood": "glad"}


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"id": "q1", "answer": "So."}, "no scores in it, but answers\n  -> `ragate init`"),
        ({"id": "q1", "mood": "glad"}, "no scores in it\n  -> a score is a column"),
    ],
)
def test_a_file_without_scores_is_refused(
    tmp_path: Path, record: Mapping[str, Any], problem: str
) -> None:
    with pytest.raises(DatasetError, match=problem):
        table(tmp_path, [record, {**record, "id": "q2"}])


def test_a_score_that_a_test_was_not_asked_for_is_not_missed(tmp_path: Path) -> None:
    zeal, tact = {"name": "Zeal", "score": 0.5}, {"name": "Tact", "score": 0.7}
    measured = [[zeal, tact], [zeal], []]
    tests = [{"id": str(n), "input": "?", "metricsData": each} for n, each in enumerate(measured)]
    read = table(tmp_path, tests)

    assert [read.lack("Tact", row).silent for row in (1, 2)] == [True, False]


def test_a_score_that_no_test_has_is_missed_where_its_tool_names_it(tmp_path: Path) -> None:
    lost = {"name": "Zeal", "score": None, "error": "timed out"}
    measured = [lost, {"name": "Tact", "score": 0.7}]
    read = table(tmp_path, [{"input": asked, "metricsData": measured} for asked in "?!"])

    assert read.lack("Zeal", 0) == Lack("timed out")
    assert "Zeal" in read.columns


def test_a_test_of_pytest_is_asked_what_it_records_and_nothing_where_it_is_skipped(
    tmp_path: Path,
) -> None:
    path = tmp_path / "junit.xml"
    recorded = '<properties><property name="zeal" value="0.5"/></properties>'
    insides = [recorded, "", '<skipped message="slow"/>', '<error message="timed out"/>']
    cases = [f'<testcase name="t{n}">{inside}</testcase>' for n, inside in enumerate(insides)]
    path.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    read = read_runs([path])

    assert [read.lack("zeal", row).silent for row in (1, 2, 3)] == [True, True, False]


def test_a_score_that_a_row_of_a_table_of_your_own_lacks_is_missed(tmp_path: Path) -> None:
    read = table(tmp_path, [{"id": "q1", "zeal": 0.5, "tact": 0.7}, {"id": "q2", "zeal": 0.5}])

    assert read.lack("tact", 1) == Lack("the row has no score")


def test_none_in_words_is_no_word(tmp_path: Path) -> None:
    lines = [{"id": f"q{n}", "tact": "None" if n else 0.5, "mood": "null"} for n in range(4)]
    read = table(tmp_path, lines)

    assert read.columns["tact"].tolist()[:1] == [0.5]
    assert len(read.lacks["tact"]) == 3


def test_what_may_be_missed_among_the_metrics_is_named(tmp_path: Path) -> None:
    words = {"mood": "glad", "faithfulness": "high", "remark": None, "recall": None}
    wits = [1, *["much"] * 209]
    records = [{"id": f"q{n}", "zeal": 0.5, "wit": wit, **words} for n, wit in enumerate(wits)]
    read = table(tmp_path, records)

    assert list(read.columns) == ["zeal", "recall"]  # an empty column of a metric is not measured
    assert read.facts.left_out == ("wit", "remark", "faithfulness")


def test_a_line_for_each_metric_may_have_a_remark(tmp_path: Path) -> None:
    scores = {"zeal": 0.5, "tact": 0.7, "wit": "partly"}
    lines = [
        {"id": f"q{number}", "metric": metric, "score": score, "remark": f"so {metric}"}
        for number in range(210)
        for metric, score in scores.items()
    ]
    read = table(tmp_path, lines)

    assert (len(read.keys), read.runs) == (210, 1)


def test_a_run_without_scores_is_a_run_whichever_it_is(tmp_path: Path) -> None:
    def lines(*scores: float | None) -> list[Mapping[str, Any]]:
        told = [{"zeal": score} if score is not None else {} for score in scores]
        runs = [{**each, "mood": "glad"} for each in told]
        return [{"id": f"q{number}", **run} for run in runs for number in range(210)]

    assert table(tmp_path, lines(0.5, 0.7, None)).runs == 3
    assert table(tmp_path, lines(None, 0.5, 0.7)).runs == 3


def test_a_run_of_empty_remarks_is_a_run(tmp_path: Path) -> None:
    keys = [f"q{number}" for number in range(210)]
    scored = [{"id": key, "zeal": 0.5, "mood": f"glad of {key}"} for key in keys]

    assert table(tmp_path, [*scored, *[{"id": key, "mood": "N/A"} for key in keys]]).runs == 2


@pytest.mark.parametrize("first", [{"metric": "wit", "score": "refused"}, {"wit": "N/A"}])
def test_a_line_that_tells_why_a_score_is_missing_is_completed(
    tmp_path: Path, first: Mapping[str, Any]
) -> None:
    second = {"metric": "zeal", "score": 0.5} if "metric" in first else {"zeal": 0.5}
    both = table(tmp_path, [{"id": "q1", **first}, {"id": "q1", **second}])
    turned = table(tmp_path, [{"id": "q1", **second}, {"id": "q1", **first}])

    assert both.runs == turned.runs == 1


def test_a_run_that_failed_is_not_completed_by_the_next(tmp_path: Path) -> None:
    failed, ran = {"mood": "glad", "error": "timed out"}, {"zeal": 0.5, "mood": "sad"}
    read = table(tmp_path, [{"id": "q1", **failed}, {"id": "q1", **ran}])

    assert np.isnan(read.values("zeal")).tolist() == [[True, False]]


def test_a_status_that_is_ok_is_no_score(tmp_path: Path) -> None:
    lines = [{"id": f"q{number}", "zeal": 0.5, "status": "ok"} for number in range(3)]
    read = table(tmp_path, lines)

    assert list(read.columns) == ["zeal"]


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_line_for_a_metric_without_a_score_is_completed(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "scores.csv"
    lines = ["id,metric,score", "q1,tact,", "q1,zeal,0.5", "q2,tact,0.7", "q2,zeal,"]
    path.write_text("\n".join(lines).replace(",", separator))
    read = read_runs([path])

    assert (list(read.columns), read.runs) == (["zeal", "tact"], 1)
    assert read.lack("tact", 0) == read.lack("zeal", 1) == Lack("the file says null")
