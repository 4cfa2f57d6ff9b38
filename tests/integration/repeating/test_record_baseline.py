"""Recording a baseline of a system that repeats."""

from __future__ import annotations

import sys

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


COMMAND = f"use = \"command\"\ncommand = ['{sys.executable}', 'serve.py']"


LINE = 'repeats = ["retrieval", "answer"]'


WRONG = {f"_{number}": f"The price of item {number} was 7 euros." for number in range(6)}


def test_the_passes_of_a_baseline_come_from_three_processes(project):
    project.configure(system=COMMAND)
    assert run(["baseline", "update"]) == 0
    assert len(set((project.root / "sessions.txt").read_text().split())) == 3


def test_changed_answers_are_asked_again_in_sessions_of_their_own(project):
    project.configure(LINE, COMMAND)
    assert run(["baseline", "update"]) == 0
    project.answer(**WRONG)

    assert run(["check"]) == 1
    assert len(set((project.root / "sessions.txt").read_text().split())) == 6


def test_what_repeats_is_printed_and_written_on_demand(project, capsys):
    project.configure(system=COMMAND)
    assert run(["baseline", "update"]) == 0
    assert 'write `repeats = ["answer"]` below [policy]' in capsys.readouterr().out

    assert run(["baseline", "update", "--repeats"]) == 0
    written = (project.root / "ragate.toml").read_text()
    assert '[policy]\nrepeats = ["answer"]\n' in written
    said = capsys.readouterr().out
    assert "of number_recall, token_f1 every change shows" in said
    assert "below [policy]" not in said

    assert run(["baseline", "update", "--repeats"]) == 0
    assert (project.root / "ragate.toml").read_text() == written


def test_what_differs_between_sessions_is_not_written(project, capsys):
    project.answer(_3=[f"The price of item 3 was {number} euros." for number in (7, 103, 8)])
    project.configure()
    before = (project.root / "ragate.toml").read_text()

    assert run(["baseline", "update", "--repeats"]) == 0
    assert "outputs differ between sessions in 1 sample: q03" in capsys.readouterr().out
    assert (project.root / "ragate.toml").read_text() == before


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
        "provisional: changed answers were not asked in 3 sessions"
        in rows["number_recall"]["reason"]
    )
    assert run(["decide", "all.jsonl"]) == 1
    assert run(["check"]) == 1
