"""The pass rate over time: in the baseline, the history and tables of runs; runs by their notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost
from tests.repositories import git
from tests.unit.whole import of_the_whole

pytestmark = pytest.mark.integration


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert run([*arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_baseline_holds_the_pass_rate_and_the_overall_score(carded, capsys):
    means = printed(capsys, "baseline", "show", "--json")["means"]

    assert (means["pass_rate"], means["overall_score"]) == (1.0, 1.0)


@of_the_whole
def test_the_history_of_the_pass_rate_begins_before_the_scorecard(carded, capsys):
    git(carded.root, "init", "-q", "-b", "main")
    git(carded.root, "add", "baselines")
    git(carded.root, "commit", "-q", "-m", "before any scorecard")

    told = printed(capsys, "history", "--metric", "pass_rate", "--format", "json")

    assert [point["means"] for point in told["points"]] == [{"pass_rate": 1.0}]


def test_a_table_of_runs_holds_them(carded, capsys):
    carded.record(lost(2), runs=3)
    run(["check"])

    row = printed(capsys, "runs", "export", "--format", "jsonl", "--status", "failed")

    assert row["means"]["pass_rate"] == 0.5
    assert row["means"]["overall_score"] == 0.5


def test_runs_are_compared_by_what_was_noted_with_them(carded, capsys):
    run(["check", "--meta", "client=internal"])
    carded.record(lost(2), runs=3)
    run(["check", "--meta", "client=mcp"])
    capsys.readouterr()
    report = ["--format", "json", "--output", "compared.json"]

    assert run(["compare", "client=internal", "client=mcp", *report]) == 1

    rows = json.loads(Path("compared.json").read_text())["decision"]["metrics"]
    (row,) = [row for row in rows if row["metric"] == "pass_rate"]
    assert (row["baseline"], row["candidate"]) == (1.0, 0.5)


def test_a_note_or_days_without_a_run_are_an_error(carded, capsys):
    run(["check", "--meta", "client=internal"])

    assert run(["compare", "client=nobody", "latest"]) == 2
    assert "no judged run is noted as client=nobody" in capsys.readouterr().err
    assert run(["compare", "client=internal", "latest", "--until", "2020-01-01"]) == 2
