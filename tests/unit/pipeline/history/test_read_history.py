"""The committed baseline over commits: what moved, and what does not compare."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ragate.baseline import dump_baseline, recorded_now
from ragate.baseline.means import MeansReader
from ragate.cli.main import run
from ragate.errors import BaselineError, UsageError
from ragate.models import MetricInfo, Run
from ragate.pipeline.baseline.write_baseline import run_means
from ragate.pipeline.history.show_history import sparkline
from ragate.support.git_history import file_commits
from tests.factories import record_factory, run_factory, sample_factory


def scored(first: float, *, version: int = 1, judge: str | None = None) -> Run:
    records = [
        record_factory(scores={"mrr": first}),
        record_factory(sample_factory("q002"), scores={"mrr": 1.0}),
    ]
    info = MetricInfo(name="mrr", version=version)
    return run_factory(records, metrics={"mrr": info}, judge=judge)


def content(scored_run: Run) -> bytes:
    recorded = recorded_now(scored_run, date="2026-11-01")
    return dump_baseline(scored_run, store="answers", recorded=recorded)


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "ragate.toml").write_text(
        '[policy]\ndataset = "g.jsonl"\nbaseline = "b.json"\nsystems = ["replay"]\n'
        '[policy.metrics.mrr]\n[system]\nuse = "replay"\npath = "o.jsonl"\n'
    )
    return tmp_path


def commit(project: Path, data: bytes, subject: str) -> None:
    (project / "b.json").write_bytes(data)
    git(project, "add", "b.json")
    git(project, "commit", "-q", "-m", subject)


def history(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["history", "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_commit_that_moved_a_metric_is_named(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5)), "smaller chunks")

    found = history(capsys)

    (move,) = found["metrics"]["mrr"]["moves"]
    assert (move["before"], move["after"], move["change"]) == (1.0, 0.75, -0.25)
    assert move["commit"] == found["points"][1]["commit"]
    assert found["points"][1]["subject"] == "smaller chunks"
    assert found["metrics"]["mrr"]["drift"] == -0.25


def test_two_versions_of_a_metric_are_not_subtracted(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5, version=2)), "another formula")

    found = history(capsys)

    assert found["metrics"]["mrr"]["moves"][0]["change"] is None
    assert found["metrics"]["mrr"]["drift"] is None
    assert found["points"][1]["marks"] == ["mrr of version 2 (was 1)"]


def test_another_judge_is_marked(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0, judge="old")), "first")
    commit(project, content(scored(1.0, judge="new")), "judge")

    assert history(capsys)["points"][1]["marks"] == ["another judge"]


@pytest.mark.parametrize("broken", [b"{", b"<<<<<<< HEAD\n", b'{"schema_version": 9}', b"[]"])
def test_a_broken_file_in_one_commit_costs_that_commit_only(
    broken: bytes, project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")
    commit(project, broken, "broken")
    commit(project, content(scored(0.5)), "mended")

    found = history(capsys)

    assert [bool(point["problem"]) for point in found["points"]] == [False, True, False]
    assert found["metrics"]["mrr"]["drift"] == -0.25


def test_a_file_that_was_removed_is_said(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0)), "first")
    git(project, "rm", "-q", "b.json")
    git(project, "commit", "-q", "-m", "gone")

    assert history(capsys)["points"][1]["problem"] == "removed here"


def test_the_console_shows_sparkline_mean_and_commit(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")
    commit(project, content(scored(0.5)), "smaller chunks")

    assert run(["history"]) == 0

    shown = capsys.readouterr().out
    assert "█▁" in shown
    assert "0.750  -0.250 over these commits" in shown
    assert "smaller chunks" in shown


def test_mermaid_draws_a_chart(project: Path, capsys: pytest.CaptureFixture[str]):
    commit(project, content(scored(1.0)), "first")

    assert run(["history", "--format", "mermaid", "--metric", "mrr"]) == 0

    assert "  line [1.000000]" in capsys.readouterr().out


def test_a_metric_that_no_commit_holds_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    commit(project, content(scored(1.0)), "first")

    assert run(["history", "--metric", "mr"]) == 2

    assert "no commit holds it" in capsys.readouterr().err


def test_a_baseline_that_was_never_committed_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    git(project, "commit", "-q", "--allow-empty", "-m", "first")

    assert run(["history"]) == 2

    assert "no commit of this branch wrote it" in capsys.readouterr().err


def test_outside_a_repository_git_tells_nothing(tmp_path: Path):
    with pytest.raises(UsageError, match="git tells no history"):
        file_commits(tmp_path, "b.json", most=3)


def test_means_are_those_of_the_whole_reading():
    means = MeansReader().read(content(scored(0.25)), where="b.json").means

    assert means == run_means(scored(0.25))


def test_a_file_that_was_laid_out_anew_reads_the_same():
    data = content(scored(0.25))
    pretty = json.dumps(json.loads(data), indent=4).encode()

    assert MeansReader().read(pretty, where="b") == MeansReader().read(data, where="b")


def test_a_sample_that_is_none_is_refused():
    data = content(scored(0.25)).replace(b'"outputs":[', b'"output":[', 1)

    with pytest.raises(BaselineError, match="not a baseline"):
        MeansReader().read(data, where="b.json")


def test_equal_values_are_a_flat_line():
    assert sparkline([0.5, 0.5]) == "▄▄"
