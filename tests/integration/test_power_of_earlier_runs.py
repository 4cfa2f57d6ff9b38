"""`ragate power` with a baseline of one run: what a change was asked again tells the noise."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ragate.baseline import load_baseline
from ragate.cli.main import run
from ragate.config import load_config
from ragate.dataset import read_dataset
from ragate.sight import compared_with_itself
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration


def shaky(number: int, run_number: int) -> dict[str, Any]:
    """Lose two answers of forty, and two more in each run."""
    lost = number < 2 or number % 20 == run_number + 5
    given = right(number, run_number)
    return {**given, "answer": "No idea."} if lost else given


def test_noise_is_that_of_an_earlier_confirmed_run_and_the_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path, policy="runs = 1")
    assert run(["baseline", "update"]) == 0
    capsys.readouterr()
    assert run(["power"]) == 0
    before = " ".join(capsys.readouterr().out.split())

    project.record(shaky, runs=3)
    run(["check"])
    assert project.report()["decision"]["runs_candidate"] == 3
    capsys.readouterr()
    assert run(["power"]) == 0
    after = " ".join(capsys.readouterr().out.split())

    assert "1 baseline run; noise assumed: 0.05" in before
    assert "1 baseline run; noise measured on 3 runs of " in after


def test_questions_that_were_others_in_the_earlier_run_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path, policy="runs = 1")
    assert run(["baseline", "update"]) == 0
    config = load_config(project.root / "ragate.toml")
    baseline, samples = load_baseline(config.baseline), read_dataset(config.dataset)
    records = [
        record.amended(content_hash="0" * 16) if number < 10 else record
        for number, record in enumerate(baseline.records)
    ]

    comparison, _ = compared_with_itself(
        config,
        samples,
        baseline,
        today=date(2026, 6, 1),
        earlier=baseline.amended(records=records),
    )

    assert comparison.added == ()
    assert comparison.candidate_run is not None
    assert len(comparison.candidate_run.records) == 30
