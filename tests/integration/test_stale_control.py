"""A control whose model requests were answered from the baseline shows nothing of today."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration

BROKEN = range(12)
KNOWN = "0" * 16


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    """Return a project whose answers say which model request they came from, with a baseline."""
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path)
    project.record(lambda number, run: right(number, run) | {"request_hash": KNOWN}, runs=3)
    assert run(["baseline", "update"]) == 0
    return project


def drifted(number: int, _run: int) -> dict[str, Any]:
    lost = {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Else."}]}
    return lost if number in BROKEN else right(number, 0)


def decided(project: ReplayProject, control: str) -> list[str]:
    """Return the warnings of a broken run beside a control."""
    (project.root / "control.jsonl").write_text(control)
    project.record(drifted)
    command = ["decide", "outputs/run0.jsonl", "--control", "control.jsonl"]
    assert run([*command, "--format", "json", "--output", "report.json"]) == 1
    report = json.loads((project.root / "report.json").read_text())
    warnings: list[str] = report["decision"]["warnings"]
    return [each for each in warnings if "control" in each or "today" in each]


def test_the_baselines_own_answers_are_no_control(project: ReplayProject):
    stored = (project.root / "outputs/run1.jsonl").read_text()

    (warning,) = decided(project, stored)

    assert warning.startswith("the control holds only the baseline's own answers")


def test_answers_that_were_asked_for_anew_are(project: ReplayProject):
    stored = (project.root / "outputs/run1.jsonl").read_text()

    warnings = decided(project, stored.replace(KNOWN, "1" * 16))

    assert not any("own answers" in warning for warning in warnings)
