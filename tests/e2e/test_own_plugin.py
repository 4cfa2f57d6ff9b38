"""A stranger's metric in one file: written, checked, in baseline, gate and comment."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import CLEAN, RAGATE
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.e2e
HERE = "."  # PYTHONPATH, without which a file of the current folder is not found
TABLE = '[policy.metrics."evals.polite"]\nlevel = "error"\nwords = ["apples"]\n'


def ragate(folder: Path, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: one that is forked searches another path."""
    return subprocess.run(
        [RAGATE, *arguments],
        cwd=folder,
        env={**CLEAN, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the metric and its baseline, to be copied."""
    root = tmp_path_factory.mktemp("recording")
    made = ragate(root, "plugin", "new", "metric", "polite")
    assert made.returncode == 0, made.stderr
    ReplayProject(root, samples=12, metrics=TABLE)
    updated = ragate(root, "baseline", "update", "--runs", "3", path=HERE)
    assert updated.returncode == 0, updated.stderr
    return root


@pytest.fixture
def project(tmp_path: Path, recording: Path) -> ReplayProject:
    shutil.copytree(recording, tmp_path, dirs_exist_ok=True)
    return ReplayProject(tmp_path, samples=12, metrics=TABLE)


def rude(number: int, pass_number: int) -> dict[str, Any]:
    return {**right(number, pass_number), "answer": f"The value of {number} is {number} pears. [1]"}


def test_the_page_s_words_that_no_answer_holds_need_allow_worst(project: ReplayProject) -> None:
    project.configure(metrics=TABLE.replace("apples", "please"))

    refused = ragate(project.root, "baseline", "update", path=HERE)
    allowed = "--accept", "evals.polite"
    taken = ragate(project.root, "baseline", "update", *allowed, path=HERE)

    assert refused.returncode == 3
    assert "at its worst value" in refused.stderr
    assert taken.returncode == 0, taken.stderr


def test_a_metric_of_ones_own_is_in_baseline_gate_and_comment(project: ReplayProject) -> None:
    assert ragate(project.root, "plugin", "check", "evals/polite.py").returncode == 0
    assert "evals.polite" in (project.root / "baselines/gate.json").read_text()
    assert ragate(project.root, "check", path=HERE).returncode == 0
    project.record(rude, runs=3)

    red = ragate(project.root, "check", path=HERE)

    assert red.returncode == 1
    rows = {row["metric"]: row for row in project.report()["decision"]["metrics"]}
    assert rows["evals.polite"]["verdict"] == "regressed"
    assert rows["evals.polite"]["candidate"] == 0.0
    comment = ragate(project.root, "report", "latest", "--format", "markdown", path=HERE)
    assert "evals.polite" in comment.stdout


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero (polite.py:"),
        ("return float('nan')", "cannot hold nan"),
        ("return [1.0]", "TypeError"),
        ("return 7.0", "7.0 is outside 0.0 to 1.0"),
    ],
)
def test_one_that_raises_or_gives_no_number_is_no_decision_with_the_reason(
    project: ReplayProject, body: str, said: str
) -> None:
    path = project.root / "evals/polite.py"
    path.write_text(
        path.read_text().replace("return float(any", f"{body}\n        return float(any")
    )

    done = ragate(project.root, "check", "--format", "json", path=HERE)

    assert done.returncode == 3
    (row,) = [
        row
        for row in json.loads(done.stdout)["decision"]["metrics"]
        if row["metric"] == "evals.polite"
    ]
    assert row["candidate"] is None
    assert said in "".join(row["unscored_reasons"])


def test_a_file_that_is_not_found_says_how_it_would_be(project: ReplayProject) -> None:
    lost = ragate(project.root, "check")

    assert lost.returncode == 2
    assert "there is no module 'evals" in lost.stderr
    assert "PYTHONPATH=." in lost.stderr
