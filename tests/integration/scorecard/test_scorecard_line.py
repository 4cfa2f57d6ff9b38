"""A scorecard from ragate.toml to the verdict and its reports."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost
from tests.integration.scorecard.conftest import CARD
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration


def row_of(project: ReplayProject, metric: str) -> dict[str, Any]:
    rows = {row["metric"]: row for row in project.report()["decision"]["metrics"]}
    found: dict[str, Any] = rows[metric]
    return found


def shares(project: ReplayProject, kind: str) -> dict[str, float]:
    groups = project.report()["pass_groups"]
    return {g["name"]: g["share"]["candidate"] for g in groups if g["kind"] == kind}


def wordy(number: int, _run: int) -> dict[str, Any]:
    """One answer in eight holds less than half of what it should."""
    found = right(number, 0)
    return found | {"answer": "Apples, somebody said so long ago."} if number % 8 == 0 else found


def test_an_unchanged_system_passes_with_a_baseline_that_is_older_than_the_scorecard(carded):
    assert run(["check"]) == 0

    assert row_of(carded, "pass_rate")["baseline"] == 1.0
    assert row_of(carded, "overall_score")["level"] == "warn"


def test_samples_that_fail_a_stage_lower_the_pass_rate_and_fail_the_gate(carded, capsys):
    carded.record(lost(2), runs=3)

    assert run(["check"]) == 1

    row = row_of(carded, "pass_rate")
    assert (row["candidate"], row["blocks"]) == (0.5, True)
    assert "pass_rate" in capsys.readouterr().out


def test_the_scorecard_alone_can_fail_the_gate_while_its_stages_are_only_shown(carded):
    text = (carded.root / "ragate.toml").read_text().replace('level = "error"', 'level = "warn"')
    (carded.root / "ragate.toml").write_text(text)
    carded.record(lost(2), runs=3)

    assert run(["check"]) == 1
    assert carded.report()["decision"]["family"] == ["pass_rate"]


def test_a_floor_of_the_pass_rate_is_held(carded):
    carded.record(wordy, runs=3)
    run(["baseline", "update"])
    carded.configure(metrics=CARD + "[policy.scorecard.pass_rate]\nminimum = 0.9\n")

    assert run(["check"]) == 1
    assert row_of(carded, "pass_rate")["floor"]["met"] is False


def test_a_slice_holds_the_pass_rate_of_a_part(carded):
    part = (
        '[[policy.slices]]\nname = "easy"\nwhere = ["complexity=1"]\nmetrics = ["pass_rate"]\n'
        "minimum = 0.99\n"
    )
    carded.record(lost(2), runs=3)
    carded.configure(metrics=CARD + part)

    run(["check"])

    (row,) = carded.report()["decision"]["slices"]
    assert (row["metric"], row["candidate"], row["blocks"]) == ("pass_rate", 0.0, True)


def test_the_pass_rate_is_told_by_stage_tag_complexity_and_source(carded):
    carded.record(lost(4), runs=3)

    run(["check"])

    assert shares(carded, "stage") == {"retrieval": 0.75, "answer": 0.75}
    assert shares(carded, "tag") == {"api": 0.75, "billing": 0.75}
    assert shares(carded, "complexity") == {"1": 0.5, "2": 1.0}
    assert shares(carded, "source_type") == {"sme": 1.0, "user": 0.0}


def no_document(number: int, _run: int) -> dict[str, Any]:
    """One question in eight does not get its document; the answer is right all the same."""
    chunks = [{"doc_id": "other.md", "text": "Other."}]
    return right(number, 0) | ({"chunks": chunks} if number % 8 == 0 else {})


def recorded_anew(project: ReplayProject) -> None:
    project.record(no_document, runs=3)
    (project.root / "baselines" / "gate.json").unlink()
    assert run(["baseline", "update"]) == 0


def test_after_a_failed_required_stage_a_later_metric_without_a_table_is_at_its_worst(carded):
    own = '[policy.metrics.token_f1]\nlevel = "error"\n'
    text = (carded.root / "ragate.toml").read_text()
    assert own in text
    (carded.root / "ragate.toml").write_text(text.replace(own, ""))
    recorded_anew(carded)

    assert run(["check"]) == 0
    row = row_of(carded, "token_f1")
    assert row["baseline"] == row["candidate"] == 0.875


def test_a_failed_required_stage_hides_no_fall_of_a_later_metric_that_gates(carded):
    def half_lost(number: int, _run: int) -> dict[str, Any]:
        return right(number, 0) | ({"chunks": []} if number % 2 else {})

    carded.record(half_lost, runs=3)
    (carded.root / "baselines" / "gate.json").unlink()
    assert run(["baseline", "update"]) == 0
    lost_there = "I do not know."
    carded.record(lambda n, _: half_lost(n, 0) | ({"answer": lost_there} if n % 2 else {}), runs=3)

    assert run(["check"]) == 1
    row = row_of(carded, "token_f1")
    assert (row["baseline"], row["candidate"], row["blocks"]) == (1.0, 0.5, True)
    assert row_of(carded, "pass_rate")["candidate"] == 0.5


def test_a_must_pass_sample_has_to_pass_the_scorecard(carded):
    carded.extra[0] = {"must_pass": True}
    carded.write_golden(range(40))
    carded.record(lambda n, _: lost(1)(n, 0) if n == 0 else right(n, 0), runs=3)

    assert run(["check"]) == 1

    missed = {row["metric"] for row in carded.report()["decision"]["must_pass"] if not row["met"]}
    assert "pass_rate" in missed


def test_a_stage_that_the_baseline_does_not_hold_is_no_decision(carded, capsys):
    carded.configure(metrics=CARD + "[policy.scorecard.stages.lexical_support]\npass_at = 0.5\n")

    assert run(["check"]) == 3
    assert "ragate baseline update" in capsys.readouterr().out


def test_power_tells_what_the_pass_rate_can_see(carded, capsys):
    assert run(["power"]) == 0

    assert "pass_rate" in capsys.readouterr().out


def test_a_baseline_that_nobody_passes_is_refused(carded, capsys):
    carded.record(lost(1), runs=3)
    (carded.root / "baselines/gate.json").unlink()

    assert run(["baseline", "update"]) != 0
    assert "pass_rate" in capsys.readouterr().err


def test_explain_shows_pass_or_fail_of_the_whole_sample(carded, capsys):
    carded.record(lost(4), runs=3)
    run(["check"])
    capsys.readouterr()

    assert run(["report", "latest", "--explain", "q0"]) in (0, 1)
    assert "pass_rate" in capsys.readouterr().out
