"""Recorded runs that did not count are named: the first one may be the lucky one."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import right

pytestmark = pytest.mark.integration


def lucky_first(number: int, run_number: int) -> dict[str, Any]:
    """A system whose first recording alone is right on every question."""
    lost = run_number and number < 12
    return {**right(number, 0), **({"answer": "No idea."} if lost else {})}


def warnings(project) -> list[str]:
    found: list[str] = project.report()["decision"]["warnings"]
    return [line for line in found if "recorded outputs" in line]


def test_a_run_that_passes_on_the_first_recording_names_the_others(project, capsys):
    assert run(["baseline", "update"]) == 0
    project.record(lucky_first, runs=3)

    assert run(["check"]) == 0

    said = "runs 2 to 3 of the recorded outputs did not count; `--runs 3` counts them all"
    assert warnings(project) == [said]
    assert run(["check", "--runs", "3"]) == 1
    assert warnings(project) == []


def test_a_confirmed_run_has_read_them_all(project):
    assert run(["baseline", "update"]) == 0
    few = {"answer": "No idea."}
    project.record(lambda n, _: right(n, 0) | (few if n < 4 else {}), runs=3)

    run(["check"])

    assert project.report()["decision"]["runs_candidate"] == 3
    assert warnings(project) == []


def test_outputs_that_were_collected_for_another_job_name_them_too(project):
    assert run(["baseline", "update"]) == 0
    project.record(lucky_first, runs=2)
    assert run(["collect"]) == 0

    assert run(["decide"]) == 0

    assert warnings(project) == [
        "run 2 of the recorded outputs did not count; `--runs 2` counts them all"
    ]


def test_a_baseline_of_a_part_of_the_recordings_says_so(project, capsys):
    project.record(lucky_first, runs=5)

    assert run(["baseline", "update"]) == 0

    assert "runs 4 to 5 of the recorded outputs did not count" in capsys.readouterr().err
