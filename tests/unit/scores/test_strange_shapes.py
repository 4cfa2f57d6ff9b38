"""Files that a stranger would hand in: real shapes that no fixture holds."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import DatasetError
from ragate.models import Direction
from ragate.scores.known_metrics import is_beside, known
from ragate.scores.measured import Said, infos_of
from ragate.scores.score_table import ScoreTable, read_table

ASKED = [f"How long is plan {number}?" for number in range(4)]


def table(tmp_path: Path, value: Any) -> ScoreTable:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    return read_table(path)


def test_conversations_of_deepeval_are_samples_beside_the_others(tmp_path: Path):
    measured = [{"name": "Turn Relevancy", "threshold": 0.5, "success": True, "score": 0.9}]
    alone = {"name": "test_case_0", "input": "A?", "success": True, "metricsData": measured}

    def conversation(number: int, said: str) -> dict[str, Any]:
        turns = [{"role": "user", "content": ASKED[number]}, {"role": "assistant", "content": said}]
        name = f"conversational_test_case_{number}"
        return {"name": name, "success": True, "metricsData": measured, "turns": turns}

    def run(said: str) -> ScoreTable:
        chats = [conversation(number, said) for number in range(4)]
        run = {"testCases": [alone], "conversationalTestCases": chats}
        return table(tmp_path, {"testRunData": run})

    assert run("Ten days.").columns["Turn Relevancy"].tolist() == [0.9] * 5
    assert run("Ten days.").keys == run("Eleven.").keys  # by what was asked


@pytest.mark.parametrize("grades", ["CCCC", "CPIN"])
def test_the_letters_of_inspect_say_which_way_is_good(tmp_path: Path, grades: str):
    samples = [
        {"id": n, "epoch": 1, "input": "A?", "target": "x", "scores": {"rag": {"value": grade}}}
        for n, grade in enumerate(grades)
    ]
    read = table(tmp_path, {"status": "success", "eval": {"task": "t"}, "samples": samples})

    infos = infos_of([read, read], ["rag"], Said())
    assert infos["rag"].direction is Direction.HIGHER


def test_a_table_that_pandas_split_has_its_rows(tmp_path: Path):
    names = ["inputs", "toxicity/v1/score", "answer_similarity/v1/score", "token_count"]
    read = table(tmp_path, {"columns": names, "data": [[each, 0.1, 4, 20] for each in ASKED]})

    assert read.columns.keys() == {"toxicity/v1/score", "answer_similarity/v1/score"}
    assert [known(name).direction.value for name in names[1:3]] == ["lower", "higher"]  # type: ignore[union-attr]


def test_harm_by_azure_goes_up_to_seven_where_main_has_none(tmp_path: Path):
    rows = [{"inputs.query": each, "outputs.violence.violence": 0} for each in ASKED]
    read = table(tmp_path, {"rows": rows, "metrics": {}})

    info = infos_of([read, read], ["violence"], Said())["violence"]
    assert (info.direction, info.low, info.high) == (Direction.LOWER, 0, 7)


def test_two_providers_that_are_texts_are_two_systems(tmp_path: Path):
    rows = [
        {"vars": {"q": each}, "provider": name, "promptIdx": 0, "success": True, "score": 1}
        for each in ASKED
        for name in ("one", "other")
    ]

    assert len(table(tmp_path, {"results": {"version": 2, "results": rows}}).keys) == 8


def test_a_test_that_failed_and_whose_teardown_erred_failed_once(tmp_path: Path):
    failed = '<testcase classname="c" name="b"><failure message="no"/></testcase>'
    erred = '<testcase classname="c" name="b"><error message="failed on teardown"/></testcase>'
    path = tmp_path / "o.xml"
    path.write_text(f'<testsuite><testcase classname="c" name="a"/>{failed}{erred}</testsuite>')

    assert read_table(path).columns["passed"].tolist() == [1, 0]


def test_a_question_is_the_same_with_a_blank_at_its_end(tmp_path: Path):
    bare = table(tmp_path, [{"question": each, "faithfulness": 1} for each in ASKED])
    blank = table(tmp_path, [{"question": f"{each} ", "faithfulness": 1} for each in ASKED])

    assert bare.keys == blank.keys
    assert bare.of_sample(0).input == blank.of_sample(0).input


@pytest.mark.parametrize(
    "name", ["f1_threshold", "total_time", "judge_cost", "latency_sec", "__index_level_0__"]
)
def test_a_number_beside_scores_is_none(name: str):
    assert is_beside(name)
    assert not is_beside("hallucination_count")  # somebody may hold it down


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_table_that_no_comma_divides_may_have_decimal_commas(tmp_path: Path, separator: str):
    path = tmp_path / "x.csv"
    lines = [("id", "zeal", "tact"), ("q1", "0,71", "85,5 %"), ("q2", "1", "-0,5")]
    path.write_text("\n".join(map(separator.join, lines)))
    read = read_table(path)

    assert {name: column.tolist() for name, column in read.columns.items()} == {
        "zeal": [0.71, 1.0],
        "tact": [0.855, -0.5],
    }


def test_a_workbook_is_no_log_of_inspect(tmp_path: Path):
    path = tmp_path / "scores.xlsx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")

    with pytest.raises(DatasetError, match="a workbook of a spreadsheet, which is not read"):
        read_table(path)


def test_a_distance_may_be_called_levenshtein():
    assert known("levenshtein") is None
    assert known("is_correct") is not None


def test_outputs_of_a_target_with_feedback_are_no_table_of_azure(tmp_path: Path):
    row = {"inputs.question": "Why?", "outputs.relevance": 0.9, "feedback.correctness": 0.5}
    read = table(tmp_path, [{**row, "id": f"q{number}"} for number in range(3)])

    assert read.columns.keys() == {"outputs.relevance", "feedback.correctness"}
