"""A run goes on with what it was begun with, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.resume.interrupted import Service, finished, folder, interrupted
from tests.repositories import git

pytestmark = pytest.mark.integration


def another_commit(root: Path) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "next")


def another_policy(root: Path) -> None:
    text = (root / "ragate.toml").read_text()
    (root / "ragate.toml").write_text(text.replace("b.json", 'b.json"\nalpha = 0.05 #'))


def another_system(root: Path) -> None:
    with (root / "ragate.toml").open("a") as file:
        file.write("timeout_s = 7.5\n")


def another_golden_set(root: Path) -> None:
    path = root / "golden.jsonl"
    path.write_text(path.read_text().replace("What is 3?", "What was 3?"))


def another_file(root: Path) -> None:
    (root / "prompt.md").write_text("Be brief.")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (another_commit, "commit ("),
        (another_policy, "[policy] alpha"),
        (another_system, "[system] timeout_s"),
        (another_golden_set, "golden set"),
        (another_file, "files prompt.md"),
    ],
)
def test_another_state_is_refused_and_named(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str], change: Any, named: str
) -> None:
    interrupted(root)
    count, there = sum(service.asked.values()), finished(root)
    change(root)

    assert run(["check", "--resume"]) == 2

    assert named in capsys.readouterr().err
    assert sum(service.asked.values()) == count
    assert finished(root) == there


def test_a_run_of_the_other_side_of_trust_is_refused(
    root: Path,
    service: Service,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interrupted(root)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_EVENT_NAME", "workflow_run")

    assert run(["check", "--resume"]) == 2

    assert "side of trust (no job, with its judge, now a job of workflow_run" in (
        capsys.readouterr().err
    )


def test_a_run_that_is_in_git_is_refused(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(root)
    git(root, "add", "-f", ".ragate/runs")

    assert run(["check", "--resume"]) == 2

    assert "its folder is in git" in capsys.readouterr().err


def test_outputs_of_collect_are_none_of_check(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(root, "collect")

    assert run(["check", "--resume", folder(root).name]) == 2

    assert "command (collect, now check)" in capsys.readouterr().err
