"""What a filtered run compares: its own questions, and none that the filter leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration


def test_a_new_question_with_the_words_of_one_left_out_is_no_new_name_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    golden, outputs = tmp_path / "golden.jsonl", tmp_path / "outputs" / "run0.jsonl"
    first = json.loads(golden.read_text().splitlines()[0])
    golden.write_text(golden.read_text() + json.dumps({**first, "id": "again"}) + "\n")
    outputs.write_text(outputs.read_text() + json.dumps({"id": "again", **right(0, 0)}) + "\n")

    run(["check", "--ids", "again", "--ids", "q1"])

    data = project.report()["data"]
    assert (data["renamed"], data["added"], data["matched"]) == ({}, ["again"], 1)


def test_a_question_under_a_new_name_is_compared_in_a_filtered_run_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    for path in (tmp_path / "golden.jsonl", *(tmp_path / "outputs").iterdir()):
        path.write_text(path.read_text().replace('"q0"', '"new"'))

    run(["check", "--ids", "new", "--ids", "q1"])

    assert project.report()["data"]["renamed"] == {"q0": "new"}
