"""A file that holds scores and is read for its outputs says so once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.scores.ignored import ignored_scores

FILES = Path(__file__).parents[2] / "fixtures" / "scores"


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("deepeval4/test_run.json", "Faithfulness"),
        ("ragas/ragas.csv", "non_llm_string_similarity"),
        ("promptfoo/promptfoo.json", "passed"),
    ],
)
def test_scores_of_an_evaluator_are_named(name: str, metric: str):
    said = ignored_scores([FILES / name])

    assert metric in said
    assert "ragate gate" in said


def test_outputs_alone_say_nothing(tmp_path: Path):
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"id": "a", "answer": "Yes.", "latency": 0.3, "run": 0}\n')

    assert ignored_scores([path, tmp_path / "missing.jsonl"]) == ""


def test_a_check_of_recorded_outputs_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out.json").write_bytes((FILES / "deepeval4/test_run.json").read_bytes())
    samples = json.loads((tmp_path / "out.json").read_text())
    cases = samples.get("testRunData", samples)["testCases"]
    golden = [{"id": f"s{n}", "query": case["input"]} for n, case in enumerate(cases)]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(one) + "\n" for one in golden))
    (tmp_path / "ragate.toml").write_text(
        'system = {use = "replay", paths = ["out.json"], preset = "deepeval"}\n[policy]\n'
        'dataset = "golden.jsonl"\nbaseline = "main.json"\nsystems = ["replay"]\n'
        'replay_paths = ["out.json"]\nmetrics = {not_empty = {}}\n'
    )

    run(["check"])

    assert capsys.readouterr().err.count("holds scores") == 1
