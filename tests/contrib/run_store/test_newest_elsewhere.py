"""Tools that look at the newest run, on a machine that made none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject
from tests.unit.whole import of_the_whole

pytestmark = pytest.mark.integration


@pytest.fixture
def elsewhere(
    tmp_path: Path,
    recording: Path,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> ReplayProject:
    """A project whose only run was made on another machine, and sent to the store."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(recording, tmp_path, dirs_exist_ok=True)
    project = ReplayProject(tmp_path)
    shutil.rmtree(tmp_path / ".ragate")
    monkeypatch.setenv("RAGATE_RUNS_URL", url)
    assert run(["check"]) == 0
    shutil.rmtree(tmp_path / ".ragate")
    capsys.readouterr()
    return project


@of_the_whole
def test_the_drill_breaks_outputs_of_another_machine(
    elsewhere: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["drill"]) == 0

    assert "caught by hit_rate@5" in capsys.readouterr().out


@of_the_whole
def test_a_run_of_another_gate_is_not_taken(
    elsewhere: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere.configure(policy='gate = "another"')

    assert run(["drill"]) == 2

    assert "no stored outputs to break" in capsys.readouterr().err


def test_ids_are_respelt_by_a_run_of_another_machine_where_nothing_is_known_here(
    elsewhere: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere.root / "baselines/gate.json").unlink()
    golden = elsewhere.root / "golden.jsonl"
    golden.write_text(golden.read_text().replace('"doc', '"kb/doc'))

    assert run(["dataset", "relink", "--respell"]) == 0

    assert "q7: kb/doc7.md -> doc7.md" in capsys.readouterr().out


def test_a_store_that_is_gone_is_named_where_it_would_have_to_be_asked(
    elsewhere: ReplayProject, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAGATE_RUNS_URL", "postgresql://me:s3cret@127.0.0.1:1/runs")
    (elsewhere.root / "baselines/gate.json").unlink()

    assert run(["dataset", "relink", "--respell"]) == 3

    error = capsys.readouterr().err
    assert "run store: Postgres at 127.0.0.1:1" in error
    assert "s3cret" not in error
