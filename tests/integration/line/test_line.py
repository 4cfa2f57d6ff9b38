"""The whole line on recorded outputs, through the command's own entry point."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost
from tests.projects import ReplayProject, right
from tests.repositories import commit, git

pytestmark = pytest.mark.integration


def test_without_a_baseline_there_is_no_decision_and_the_command_is_named(project, capsys):
    assert run(["check"]) == 3
    assert "ragate baseline update" in capsys.readouterr().out


def test_an_unchanged_system_passes(gated):
    assert run(["check"]) == 0
    assert gated.report()["decision"]["verdict"] == "passed"


def test_a_broken_system_fails_and_names_metrics_and_samples(gated, capsys):
    gated.record(lost(2), runs=3)

    assert run(["check"]) == 1

    out = capsys.readouterr().out
    assert "hit_rate@5" in out
    assert "token_f1" in out
    assert "doc0.md" in out
    assert "other.md" in out


def result(project: ReplayProject) -> dict[str, Any]:
    """Return the report without what differs from run to run."""
    report = project.report()
    report["facts"].pop("duration_s")
    return {key: value for key, value in report.items() if key not in {"run_id", "created"}}


def test_a_suspicious_run_is_confirmed_before_it_is_red(gated):
    gated.record(lost(13), runs=3)

    run(["check"])

    decision = gated.report()["decision"]
    assert decision["confirmed"]


def test_a_clear_drop_is_red_after_one_pass(gated):
    gated.record(lost(2), runs=3)

    assert run(["check", "--skip", "hit_rate@5"]) == 1

    decision = gated.report()["decision"]
    assert decision["runs_candidate"] == 1
    assert not decision["confirmed"]


def test_a_clean_run_asks_for_no_confirmation(gated):
    gated.record(right, runs=3)

    run(["check"])

    newest = max((gated.root / ".ragate" / "runs").glob("*/manifest.json"))
    assert json.loads(newest.read_text())["runs"] == 1


def test_a_deleted_question_is_reported_with_its_baseline_score(gated):
    gated.write_golden(range(1, 40))

    assert run(["check"]) == 0

    removed = gated.report()["data"]["removed"]
    assert [one["sample_id"] for one in removed] == ["q0"]
    assert removed[0]["means"]["hit_rate@5"] == 1.0


def test_an_edited_question_is_one_removed_and_one_added(gated):
    gated.extra = {3: {"query": "Another wording?"}}
    gated.write_golden(range(40))

    run(["check"])

    data = gated.report()["data"]
    assert data["edited"] == ["q3"]
    assert data["added"] == ["q3"]
    assert [one["sample_id"] for one in data["removed"]] == ["q3"]


def test_deleting_most_hard_questions_is_not_comparable(gated):
    gated.write_golden(range(20))

    assert run(["check"]) == 3


def test_a_system_that_fails_everywhere_is_no_decision(gated):
    gated.record(lambda _n, _run: {"error": "boom"})

    assert run(["check"]) == 3


def test_a_filtered_run_says_so_and_names_no_sample_as_removed(gated):
    run(["check", "--limit", "20"])

    report = gated.report()
    assert report["partial"]
    assert report["data"]["removed"] == []


def test_retrieval_only_holds_the_retrieval_rules_alone(gated):
    gated.record(lost(2), runs=3)

    assert run(["check", "--retrieval-only"]) == 1

    assert [row["metric"] for row in gated.report()["decision"]["metrics"]] == ["hit_rate@5"]


def test_a_baseline_with_nan_exits_with_2(gated, capsys):
    path = gated.root / "baselines" / "gate.json"
    path.write_text(path.read_text().replace('"hit_rate@5":1.0', '"hit_rate@5":NaN', 1))

    assert run(["check"]) == 2
    assert "NaN" in capsys.readouterr().err


def test_an_expired_waiver_exits_with_2_and_names_its_owner(gated, capsys):
    gated.configure(
        metrics="""
[[policy.waivers]]
id = "q1"
metric = "token_f1"
owner = "billing"
reason = "under review"
until = 2020-01-01
"""
    )

    assert run(["check"]) == 2
    assert "billing" in capsys.readouterr().err


def test_a_must_pass_sample_that_fails_three_times_is_red(project):
    project.extra = {5: {"must_pass": True}}
    project.write_golden(range(40))
    project.configure(metrics='[policy.metrics."hit_rate@1"]\nlevel = "error"\npass_at = 1.0\n')
    run(["baseline", "update"])

    def answer(number: int, run_number: int) -> dict[str, Any]:
        found = right(number, 0)
        if number == 5:
            found["chunks"] = found["chunks"][::-1]
        return found

    project.record(answer, runs=3)

    assert run(["check"]) == 1

    rows = project.report()["decision"]["must_pass"]
    assert [(row["sample_id"], row["tries"], row["failed"]) for row in rows] == [("q5", 3, 3)]


def test_a_question_that_flipped_in_an_earlier_recording_of_main_does_not_block(project):
    project.extra = {5: {"must_pass": True}}
    project.write_golden(range(40))
    project.configure(metrics='[policy.metrics."hit_rate@1"]\nlevel = "error"\npass_at = 1.0\n')

    def shaky(number: int, run_number: int) -> dict[str, Any]:
        found = right(number, 0)
        if number == 5 and run_number == 1:
            found["chunks"] = found["chunks"][::-1]
        return found

    git(project.root, "init", "-q")
    for answer in (shaky, right):
        project.record(answer, runs=3)
        assert run(["baseline", "update"]) == 0
        commit(project.root)
    project.record(lambda number, _run: shaky(number, 1), runs=3)

    assert run(["check"]) == 0
    (row,) = project.report()["decision"]["must_pass"]
    assert (row["failed_before"], row["runs_before"]) == (1, 6)
    assert any("flips by itself in 1 of 6" in w for w in project.report()["decision"]["warnings"])


def test_answers_that_fall_silent_where_the_baseline_cited_are_red(project):
    project.configure(metrics='[policy.metrics.citation_validity]\nlevel = "error"\n')
    run(["baseline", "update"])

    def silent(number: int, _run: int) -> dict[str, Any]:
        found = right(number, 0)
        return {**found, "answer": found["answer"].replace(" [1]", "")} if number % 2 else found

    project.record(silent)

    assert run(["check"]) == 1
    rows = {row["metric"]: row for row in project.report()["decision"]["metrics"]}
    assert rows["citation_validity"]["unscored_candidate"] == 0
    assert rows["citation_validity"]["checked"]["worse"] == 20


def test_answers_that_never_had_a_citation_do_not_stand_in_the_way(project):
    project.configure(metrics='[policy.metrics.citation_validity]\nlevel = "error"\n')

    def some(number: int, _run: int) -> dict[str, Any]:
        found = right(number, 0)
        return {**found, "answer": found["answer"].replace(" [1]", "")} if number % 2 else found

    project.record(some, runs=3)
    assert run(["baseline", "update"]) == 0
    project.record(some)

    assert run(["check"]) == 0
