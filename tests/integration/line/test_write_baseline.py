"""What makes a baseline anew, and what leaves it as it is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import right

pytestmark = pytest.mark.integration


def test_two_updates_in_a_row_leave_the_same_bytes(project):
    run(["baseline", "update"])
    first = (project.root / "baselines" / "gate.json").read_bytes()

    assert run(["baseline", "update"]) == 0

    assert (project.root / "baselines" / "gate.json").read_bytes() == first


def unsure(*, lost: int, shift: int = 0):
    """A noisy system: one answer in ten is lost by luck, and these first ones for good."""

    def answer(number: int, run_number: int) -> dict[str, Any]:
        if number >= lost and (number + run_number * 7 + shift) % 10:
            return right(number, 0)
        return {**right(number, 0), "answer": "No idea."}

    return answer


def lost(count: int):
    """A system that repeats exactly and gives no answer to the first questions."""

    def answer(number: int, _run: int) -> dict[str, Any]:
        return {**right(number, 0), **({"answer": "No idea."} if number < count else {})}

    return answer


def failing(count: int):
    def answer(number: int, _run: int) -> dict[str, Any]:
        return {"error": "down"} if number < count else right(number, 0)

    return answer


def recorded(project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project.root / "baselines" / "gate.json").read_text())
    return found


def update(*names: str) -> int:
    return run(["baseline", "update", *(part for name in names for part in ("--accept", name))])


def test_fresh_runs_of_a_noisy_system_are_written_whole(project):
    project.record(unsure(lost=0), runs=3)
    assert update() == 0
    first = recorded(project)["samples"]
    project.record(unsure(lost=0, shift=1), runs=3)

    assert update() == 0

    assert recorded(project)["samples"] != first
    assert run(["check"]) == 0


def test_a_proven_fall_is_refused_and_the_file_keeps_its_bytes(project, capsys):
    project.record(unsure(lost=0), runs=3)
    assert update() == 0
    path = project.root / "baselines" / "gate.json"
    before = path.read_bytes()
    project.record(unsure(lost=20), runs=3)

    assert update() == 3

    assert path.read_bytes() == before
    told = capsys.readouterr().err
    assert "token_f1 fell by" in told
    assert "ragate baseline update --accept token_f1" in told
    assert update("token_f1") == 0
    assert [(one["metric"], one["reason"]) for one in recorded(project)["accepted"]] == [
        ("token_f1", "--accept")
    ]


def test_a_broken_floor_is_refused_at_the_first_recording_too_and_accepted_once(project, capsys):
    project.configure(metrics='[policy.metrics."mrr@5"]\nlevel = "error"\nminimum = 0.9')
    chunks = [{"doc_id": "other.md", "text": "Something else."}]
    project.record(lambda n, _: right(n, 0) | ({"chunks": chunks} if n % 2 else {}), runs=3)

    assert update() == 3
    assert not (project.root / "baselines" / "gate.json").exists()
    assert "mrr@5: 0.500, and its limit is 0.900" in capsys.readouterr().err

    assert update("mrr@5") == 0
    assert update() == 0  # the file names who accepted it
    chunks[0]["text"] = "Something new."
    project.record(lambda n, _: right(n, 0) | ({"chunks": chunks} if n % 2 else {}), runs=3)
    assert update() == 0
    assert [one["metric"] for one in recorded(project)["accepted"]] == ["mrr@5"]


def test_a_floor_that_was_raised_above_an_old_baseline_is_not_accepted_by_it(project):
    chunks = [{"doc_id": "other.md", "text": "Something else."}]
    metric = '[policy.metrics."mrr@5"]\nlevel = "error"\n'
    project.configure(metrics=metric)
    project.record(lambda n, _: right(n, 0) | ({"chunks": chunks} if n % 2 else {}), runs=3)
    assert update() == 0
    project.configure(metrics=f"{metric}minimum = 0.9")

    assert update() == 3
    assert run(["baseline", "update", "--accept", "mrr@5"]) == 0
    assert update() == 0


def test_a_broken_ceiling_is_refused(project, capsys):
    project.configure(metrics='[policy.metrics.error_rate]\nlevel = "error"\nmaximum = 0.01')
    project.record(failing(2), runs=3)

    assert update() == 3

    assert "error_rate: 0.050, and its limit is 0.010" in capsys.readouterr().err


def test_more_failed_answers_than_may_be_make_no_baseline(project, capsys):
    project.record(failing(2), runs=3)
    assert update() == 0
    project.record(failing(3), runs=3)
    (project.root / "baselines" / "gate.json").unlink()

    assert update() == 3

    told = capsys.readouterr().err
    assert "9 of 120 outputs failed (7.5%; at most 5% may)" in told
    assert "9 × down" in told
    assert update("error_rate") == 0
    assert update() == 0


def test_a_must_pass_question_that_fails_newly_is_refused(project, capsys):
    project.configure(metrics="pass_at = 0.8")
    project.extra = {0: {"must_pass": True}}
    project.write_golden(range(40))
    assert update() == 0
    project.record(lost(1), runs=3)

    assert update("token_f1") == 3

    assert "must-pass questions fail: q0 (token_f1)" in capsys.readouterr().err
    assert update("token_f1", "must_pass") == 0
    assert update() == 0


def test_the_file_names_the_sum_of_what_was_lost_since_the_oldest_recording(project, capsys):
    project.configure(metrics="max_drop = 0.2\n")
    for count in (0, 2, 4, 3):
        project.record(unsure(lost=count), runs=3)
        assert update() == 0

    moved = recorded(project)["moved"]
    assert moved["changes"]["token_f1"] == pytest.approx(-0.056, abs=0.03)
    capsys.readouterr()
    assert run(["baseline", "show"]) == 0
    assert f"token_f1 {moved['changes']['token_f1']:+.3f} since {moved['date']}" in (
        capsys.readouterr().out
    )
    project.record(unsure(lost=0), runs=3)
    assert update() == 0
    assert recorded(project)["moved"] == {**moved, "changes": {}}


@pytest.mark.parametrize("name", ["token_f2", "must-pass"])
def test_a_name_that_nothing_is_refused_by_cannot_be_accepted(project, name: str):
    assert update(name) == 2


def test_a_metric_that_is_new_gets_into_a_baseline_that_has_not_moved(project, capsys):
    assert run(["baseline", "update"]) == 0
    project.configure(metrics='[policy.metrics."mrr@5"]\nlevel = "error"')

    assert run(["baseline", "update"]) == 0

    capsys.readouterr()
    assert run(["check"]) == 0
    assert "mrr@5" in capsys.readouterr().out


def in_step(number: int, run_number: int) -> dict[str, Any]:
    """A system that loses, run by run, all questions of another topic."""
    lost_topic = number // 4 % 10 == (3 * run_number + 1) % 10
    return {**right(number, 0), **({"answer": "No idea."} if lost_topic else {})}


def test_a_recording_says_what_it_shows_and_how_often_it_is_red_by_luck(project, capsys):
    project.extra = {
        number: {"must_pass": number < 20, "metadata": {"topic": f"t{number // 4}"}}
        for number in range(40)
    }
    project.write_golden(range(40))
    project.configure(policy='[policy.metrics."rouge_l"]\nlevel = "error"\npass_at = 0.5')
    project.record(in_step, runs=3)

    assert run(["baseline", "update"]) == 0
    said = capsys.readouterr().out
    assert run(["baseline", "show"]) == 0
    for shown in (said, capsys.readouterr().out):
        assert re.search(
            r"a drop of about [\d.]+ points in \S+, .* is missed in one of five runs", shown
        )
        assert "without moving the metric on average, by metrics; about 1 in" in shown
        assert "questions that must pass" in shown
        assert "must pass, but did not in every run: q16 (2 of 3)" in shown
        assert re.search(r"questions of one topic share their noise, so that about 1 in \d+", shown)
        assert 'write `cluster = "topic"` below [policy]' in shown
    assert "3 runs, no two equal" in said
    assert "more questions or more runs show smaller ones: ragate power" in said


def test_a_recording_of_one_run_promises_nothing(project, capsys):
    assert run(["baseline", "update", "--runs", "1"]) == 0

    said = capsys.readouterr().out
    assert "1 run: how much runs differ is not known" in said
    assert "is missed in one of five runs (how much runs differ is assumed)" in said
    assert "3 runs (ragate baseline update --runs 3) or more questions show smaller ones" in said


def test_what_a_recording_says_of_false_alarms_is_what_a_report_says(project, capsys):
    project.extra = {
        number: {"must_pass": number < 20, "tags": [f"t{number % 2}"]} for number in range(40)
    }
    project.write_golden(range(40))
    project.configure(
        policy=(
            '[policy.metrics."rouge_l"]\nlevel = "error"\npass_at = 0.5\nminimum = 0.86\n'
            '[[policy.slices]]\nname = "even"\ntags = ["t0"]\nmetrics = ["rouge_l"]\n'
            'level = "error"\nminimum = 0.8\n'
        )
    )
    project.record(unsure(lost=0), runs=3)
    assert run(["baseline", "update"]) == 0
    said = [capsys.readouterr().out]
    assert run(["baseline", "show"]) == 0
    said.append(capsys.readouterr().out)
    run(["check"])
    lines = " ".join(project.report()["decision"]["lines"])
    alarms = re.search(r"fails by chance; (about 1 in .* together about 1 in [0-9]+)", lines)

    assert alarms
    assert "by floors" in alarms[1]
    for shown in said:
        assert f"by metrics; {alarms[1]}" in shown.replace(" (ragate.toml:1)", "")
