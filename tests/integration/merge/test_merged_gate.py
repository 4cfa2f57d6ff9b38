"""A gate on a baseline that was merged: it claims less, says so, and is recorded anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.baseline import load_baseline
from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration


def changed(*numbers: int) -> Any:
    def answer(number: int, run_number: int) -> dict[str, Any]:
        given = right(number, run_number)
        return {**given, "answer": f"{given['answer']} Sure."} if number in numbers else given

    return answer


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    """A project whose baseline an earlier version merged; the other side had edited q3."""
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path)
    path = tmp_path / "baselines/gate.json"
    project.record(changed(1), runs=3)
    assert run(["baseline", "update"]) == 0
    written = json.loads(path.read_text())
    recordings = [{"commit": f"{n}" * 40, "date": f"2026-11-1{n}"} for n in (1, 2)]
    written["merged"] = {"neither": ["q3"], "recordings": recordings}
    path.write_text(json.dumps(written))
    return project


def test_the_report_says_that_it_was_merged_and_what_it_lacks(project: ReplayProject) -> None:
    run(["check"])

    (warning,) = [w for w in project.report()["decision"]["warnings"] if "were merged" in w]
    assert "record it anew" in warning
    assert warning.endswith("compared with nothing: q3")


def test_what_the_merge_left_out_does_not_pass(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check"]) == 3

    decision = project.report()["decision"]
    (reason,) = decision["reasons"]
    assert reason.startswith("1 sample is compared with nothing: ")
    assert reason.endswith("recorded q3; record it anew on main")
    assert "ragate baseline update" in decision["remedies"]
    assert "NO DECISION" in (told := capsys.readouterr().out)
    assert "1 sample is compared with nothing" in told


def test_a_run_without_what_the_merge_left_out_passes(project: ReplayProject) -> None:
    others = ",".join(f"q{number}" for number in range(40) if number != 3)

    assert run(["check", "--ids", others]) == 0
    assert project.report()["decision"]["reasons"] == []


def test_what_is_red_stays_red(project: ReplayProject) -> None:
    project.record(lambda n, _run: {**right(n, _run), "answer": "Dogs bark."}, runs=3)

    assert run(["check"]) == 1
    assert any("compared with nothing" in why for why in project.report()["decision"]["reasons"])


def test_recording_it_anew_takes_the_note_away(project: ReplayProject) -> None:
    project.record(right, runs=3)

    assert run(["baseline", "update"]) == 0

    manifest = load_baseline(project.root / "baselines/gate.json").manifest
    assert manifest.merged is None
    samples = json.loads((project.root / "baselines/gate.json").read_text())["samples"]
    assert "q3" in samples
