"""What each reader makes of a file that the tool itself wrote, beside the tool's own counts."""

from __future__ import annotations

import json
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragate.errors import DatasetError
from ragate.scores.formats import FORMATS
from ragate.scores.score_table import ScoreTable, read_table

FILES = Path(__file__).parents[2] / "fixtures" / "scores"
ROOT = Path(__file__).parents[3]


def read(name: str) -> tuple[ScoreTable, Any]:
    path = FILES / name
    return read_table(path), json.loads((path.parent / "counts.json").read_text())


def mean(table: ScoreTable, metric: str) -> float:
    return float(np.nanmean(table.columns[metric]))


def scored(table: ScoreTable, metric: str) -> int:
    return int(np.isfinite(table.columns[metric]).sum())


@pytest.mark.parametrize("version", ["deepeval3", "deepeval4"])
def test_deepeval(version: str):
    table, counts = read(f"{version}/test_run.json")

    assert table.facts.reader == "deepeval"
    for metric, count in counts.items():
        assert scored(table, metric) == count["n"]
        assert mean(table, metric) == pytest.approx(count["mean"])
        assert int((table.flags[metric] == 1).sum()) == count["passed"]
        assert len(table.lacks[metric]) == count["errors"]


@pytest.mark.parametrize("name", ["inspect.json", "inspect.eval"])
def test_inspect(name: str):
    if name.endswith(".eval") and sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    table, counts = read(f"inspect/{name}")

    assert table.runs == 3
    assert mean(table, "includes") == pytest.approx(counts["includes"]["accuracy"])
    assert mean(table, "closeness") == pytest.approx(counts["closeness"]["mean"])
    assert scored(table, "includes") == counts["samples"]


@pytest.mark.parametrize(
    "name",
    [
        *("ragas.csv", "ragas_index.csv", "ragas.json", "ragas.jsonl", "ragas_columns.json"),
        pytest.param(
            "ragas.parquet",
            marks=pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs pyarrow"),
        ),
    ],
)
def test_ragas(name: str):
    table, counts = read(f"ragas/{name}")

    assert set(table.columns) == counts.keys() - {"told"}
    for metric in table.columns:
        assert scored(table, metric) == counts[metric]["n"]
        assert mean(table, metric) == pytest.approx(counts[metric]["mean"])


@pytest.mark.parametrize(
    "name",
    [
        *("plain.csv", "plain_index.csv", "plain_semicolons.csv", "plain.jsonl"),
        *("plain.json", "plain_columns.json", "plain.parquet"),
    ],
)
def test_plain_tables_have_the_counts_and_means_of_pandas(name: str):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    table, counts = read(f"plain/{name}")

    assert set(table.columns) == counts.keys()
    assert list(table.keys) == [f"q{number}" for number in range(60)]
    for metric, count in counts.items():
        assert scored(table, metric) == count["n"]
        assert mean(table, metric) == pytest.approx(count["mean"])


@pytest.mark.parametrize("name", ["promptfoo.json", "promptfoo.jsonl", "promptfoo.csv"])
def test_promptfoo(name: str):
    table, counts = read(f"promptfoo/{name}")

    assert (len(table.keys), table.runs) == (24, 1)  # twelve tests under two prompts
    assert table.of_sample(1).tags == ("provider:stand-in", "prompt:1")
    assert int((table.columns["passed"] == 1).sum()) == counts["successes"]
    assert int((table.columns["passed"] == 0).sum()) == counts["failures"]
    assert len(table.lacks["passed"]) == counts["errors"]


def test_langfuse():
    table, counts = read("langfuse/experiment.json")

    assert table.facts.reader == "langfuse"
    assert table.keys[0] == "q01"
    assert table.of_sample(0).answer == "Rule 1 allows 3 days."
    for metric, count in counts.items():
        assert (scored(table, metric), mean(table, metric)) == (count["n"], count["mean"])


def test_openai_evals():
    table, counts = read("openai_evals/output_items.json")

    assert table.facts.reader == "openai-evals"
    assert table.of_sample(0).answer == "Rule 1 allows 3 days."
    assert table.of_sample(4).failed == "the model is out"
    assert len(table.lacks["passed"]) == counts.pop("errors")
    for metric, count in counts.items():
        assert scored(table, metric) == count["n"]
        assert mean(table, metric) == pytest.approx(count["mean"])
        assert int((table.flags[metric] == 1).sum()) == count["passed"]


def test_lm_eval():
    table, counts = read("lm_eval/samples_rules.jsonl")

    assert mean(table, "exact_match") == counts["rules"]["exact_match,none"]


def test_the_means_of_lm_eval_are_refused_and_the_samples_named():
    with pytest.raises(DatasetError, match="no scores of its samples") as caught:
        read("lm_eval/results.json")

    assert "samples_<task>" in caught.value.remedy


@pytest.mark.parametrize("name", ["mlflow_table.json", "mlflow_table.csv", "mlflow_traces.json"])
def test_mlflow(name: str):
    table, counts = read(f"mlflow/{name}")

    assert {f"{metric}/mean" for metric in table.columns} == counts.keys()
    assert set(table.keys) == set(read("mlflow/mlflow_table.json")[0].keys)
    for metric, value in counts.items():
        assert mean(table, metric.removesuffix("/mean")) == pytest.approx(value)


def test_azure():
    table, counts = read("azure/azure.json")

    for metric in ("f1_score", "rouge", "closeness"):
        evaluator = {"f1_score": "f1"}.get(metric, metric)
        assert mean(table, metric) == pytest.approx(counts[f"{evaluator}.{metric}"])
    assert set(table.columns) == {"f1_score", "rouge", "closeness"}
    assert (table.flags["f1_score"] == 1).mean() == counts["f1.f1_score_passed"]
    assert table.marks == {"f1_score": 0.9, "rouge": 0.5}


def test_a_word_of_azure_is_scored_by_its_number(tmp_path: Path):
    path = tmp_path / "safety.json"
    beside = {"violence_score": 2, "violence_threshold": 3, "violence_result": "pass"}
    row = {f"outputs.violence.{name}": value for name, value in beside.items()}
    row |= {"outputs.tone.tone": "warm", "outputs.tone.tone_result": "pass"}  # no number at all
    rows = [{"inputs.query": "How?", "outputs.violence.violence": "Low", **row}]
    path.write_text(json.dumps({"rows": rows, "metrics": {}}))

    table = read_table(path)

    assert {name: list(values) for name, values in table.columns.items()} == {"violence": [2.0]}
    assert (table.marks, list(table.flags["violence"])) == ({"violence": 3.0}, [1])


def test_junit():
    table, counts = read("junit/junit.xml")
    lacks = table.lacks["passed"].values()

    assert int((table.columns["passed"] == 1).sum()) == counts["passed"]
    assert int((table.columns["passed"] == 0).sum()) == counts["failed"]
    assert sum(not lack.silent for lack in lacks) == counts["errors"]
    assert sum(lack.silent for lack in lacks) == counts["skipped"]


def test_ragates_own_report(tmp_path: Path):
    path = tmp_path / "report.json"
    scores = {
        "embedded_hallucination": {"value": 0.25, "state": "value", "reason": ""},
        "correctness": {"value": None, "state": "not_applicable", "reason": "no reference answer"},
        "relevancy": {"value": None, "state": "unscored", "reason": "judge: out"},
    }
    asked = {"sample_id": "q1", "run": 0, "query": "How?", "answer": "So.", "error": ""}
    question = {**asked, "verdict": "FAIL", "scores": scores}
    path.write_text(json.dumps({"ragate_version": "1", "judge": "j", "questions": [question]}))

    table = read_table(path)

    assert (table.facts.reader, table.facts.judge, table.keys) == ("ragate", "j", ["q1"])
    assert [mean(table, each) for each in ("pass_rate", "embedded_hallucination")] == [0.0, 0.25]
    assert [lack.silent for lack in table.lacks["correctness"].values()] == [True]
    assert [lack.silent for lack in table.lacks["relevancy"].values()] == [False]


def test_every_reader_is_in_the_table_of_the_manual():
    page = (ROOT / "docs/scores.md").read_text(encoding="utf-8")

    for name, layout in FORMATS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert ("untested" in row) is not layout.tested


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ("id,score\n", "no sample"),
        ("id,score\n1,0.5\n2", "1 cells, and the header has 2"),
        ("id,score,score\n1,1,0\n", "stands twice"),
        ('[{"id": 1, "score": 1}', "not JSON"),
        ('[{"id": 1, "text": "good"}]', "no scores in it"),
        ('[{"score": 1}]', "neither an id nor a question"),
        ('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a/>', "document type or entities"),
        ("<a><b>", "not XML"),
        ("PK\x03\x04 no archive", "archive cannot be read"),
    ],
)
def test_a_file_that_is_no_whole_one_is_refused_with_its_place(
    tmp_path: Path, content: str, told: str
):
    path = tmp_path / "scores"
    path.write_text(content)

    with pytest.raises(DatasetError, match=told) as caught:
        read_table(path)

    assert str(path) in caught.value.message


@pytest.mark.parametrize("text", ["id;score\n1;0,5\n2;1\n", "id\tscore\n1\t0.5\n2\t1\n"])
def test_semicolons_with_decimal_commas_and_tabs(tmp_path: Path, text: str):
    path = tmp_path / "scores.csv"
    path.write_text(text)

    assert mean(read_table(path), "score") == 0.75


def test_a_number_that_is_none_is_unscored_with_what_the_file_says(tmp_path: Path):
    path = tmp_path / "scores.jsonl"
    values = ["0.5", "NaN", "null", '"N/A"', "1", "1e999", "true"]
    path.write_text("".join(f'{{"id": {n}, "score": {value}}}\n' for n, value in enumerate(values)))

    table = read_table(path)

    assert scored(table, "score") == 3
    assert {lack.reason for lack in table.lacks["score"].values()} == {
        "the file says nan", "the file says null", "the file says 'N/A'", "the file says inf"
    }  # fmt: skip


def test_two_tasks_that_count_from_one_are_no_runs_of_one_sample(tmp_path: Path):
    for task in ("a", "b"):
        rows = "".join(f"{n},Rule {n} of {task}?,1\n" for n in range(3))
        (tmp_path / f"{task}.csv").write_text(f"id,question,score\n{rows}")

    with pytest.raises(DatasetError, match=r"a\.csv:2 and .*b\.csv:2: two questions under the id"):
        read_table(tmp_path)


def test_two_tools_in_one_folder_are_refused(tmp_path: Path):
    (tmp_path / "a.csv").write_text("id,score\n1,1\n")
    (tmp_path / "b.xml").write_text('<testsuite><testcase name="a"/></testsuite>')

    with pytest.raises(DatasetError, match="one side holds the files of one tool"):
        read_table(tmp_path)


def test_parquet_without_pyarrow_names_csv(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(DatasetError, match="needs pyarrow") as caught:
        read_table(FILES / "ragas/ragas.parquet")

    assert "to_csv" in caught.value.remedy


def test_an_archive_that_swells_is_refused(tmp_path: Path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/a.json", " " * 20_000_000)

    with pytest.raises(DatasetError, match="refused"):
        read_table(path)


def test_a_log_of_zstandard_without_its_unpacker_names_both_ways(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    if sys.version_info >= (3, 14):
        pytest.skip("Python unpacks it itself")

    with pytest.raises(DatasetError, match="does not know") as caught:
        read_table(FILES / "inspect/inspect.eval")

    assert "ragate[inspect]" in caught.value.remedy
    assert "inspect log convert" in caught.value.remedy


@pytest.mark.parametrize("name", ["header.json", "samples/a.json"])
def test_a_member_that_is_damaged_is_an_error_with_its_name(tmp_path: Path, name: str):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in ("header.json", "samples/a.json"):
            archive.writestr(member, json.dumps({"eval": {"task": "t"}, "status": "success"}))
        place = archive.getinfo(name).header_offset + 30 + len(name)
    content = bytearray(path.read_bytes())
    content[place : place + 4] = b"\xff" * 4
    path.write_bytes(bytes(content))

    with pytest.raises(DatasetError, match=f"{name}: cannot be unpacked"):
        read_table(path)
