"""Recording a baseline of a system that repeats."""

from __future__ import annotations

import sys

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


COMMAND = f"use = \"command\"\ncommand = ['{sys.executable}', 'serve.py']"


WRONG = {f"_{number}": f"The price of item {number} was 7 euros." for number in range(6)}


def test_the_passes_of_a_baseline_come_from_three_processes(project):
    project.configure(COMMAND)
    assert run(["baseline", "update"]) == 0
    assert len(set((project.root / "sessions.txt").read_text().split())) == 3


def test_changed_answers_are_asked_again_in_sessions_of_their_own(project):
    project.configure(COMMAND)
    assert run(["baseline", "update"]) == 0
    project.answer(**WRONG)

    assert run(["check"]) == 1
    assert len(set((project.root / "sessions.txt").read_text().split())) == 6


def test_what_repeats_is_said(project, capsys):
    project.configure(COMMAND)

    assert run(["baseline", "update"]) == 0
    assert "every drop of number_recall, token_f1 shows" in capsys.readouterr().out


def test_what_did_not_repeat_is_named_when_it_is_recorded_and_in_a_report(project, capsys):
    said = project.right["What was the price of item 3?"]
    project.answer(_3=[said, f"{said} Or so.", said])
    project.configure(COMMAND)

    assert run(["baseline", "update"]) == 0
    told = "did not repeat in the baseline's 3 runs: the answer of 1 of 30 (q03)"
    assert told in capsys.readouterr().out
    assert run(["baseline", "show"]) == 0
    assert told in capsys.readouterr().out
    run(["check"])
    assert told in project.decision()["lines"]
    capsys.readouterr()
    run(["report", "latest", "--explain", "q03"])
    assert "Did not repeat in the baseline: 2 different outputs" in capsys.readouterr().out


def test_six_losses_of_thirty_are_red_and_at_first_sight_yellow(declared):
    """As a halved top_k loses them: one pass in a file is a first sight, a check confirms."""
    declared.answer(**WRONG)
    assert run(["collect", "--save-outputs", "all.jsonl"]) == 0
    lines = (declared.root / "all.jsonl").read_text().splitlines(keepends=True)
    (declared.root / "first.jsonl").write_text("".join(lines[:31]))

    assert run(["decide", "first.jsonl"]) == 0
    rows = {row["metric"]: row for row in declared.decision()["metrics"]}
    assert rows["number_recall"]["verdict"] == "worse_on_this_set"
    assert (
        "provisional: changed outputs were not asked often enough"
        in rows["number_recall"]["reason"]
    )
    assert run(["decide", "all.jsonl"]) == 1
    assert run(["check"]) == 1
