"""Retrieval churn through the command: another ranking is shown, and gated by its limit alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration
SAMPLES = 8
NAMES = ("overlap@2", "rbo", "first_hit_displacement")
METRICS = """
[policy.metrics."overlap@2"]
level = "warn"
[policy.metrics.rbo]
level = "warn"
p = 0.5
[policy.metrics.first_hit_displacement]
level = "warn"
"""
LIMIT = """
[policy.metrics.{name}]
level = "error"
{limit}
"""


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path, samples=SAMPLES, metrics=METRICS)
    project.record(right)
    return project


def values(project: ReplayProject) -> dict[str, tuple[float | None, float | None]]:
    """Return the baseline's and the candidate's value of each metric of churn."""
    rows = project.report()["decision"]["metrics"]
    return {
        row["metric"]: (row["baseline"], row["candidate"]) for row in rows if row["metric"] in NAMES
    }


def swapped(number: int, run: int) -> dict[str, Any]:
    """The same two documents in the other order, which no gated metric of the project sees."""
    plain = right(number, run)
    return {**plain, "chunks": plain["chunks"][::-1]} if number in (1, 5) else plain


def exchanged(number: int, run: int) -> dict[str, Any]:
    """Another second document."""
    plain = right(number, run)
    first, second = plain["chunks"]
    return {**plain, "chunks": [first, {**second, "doc_id": "new.md"}]} if number == 3 else plain


def test_a_baseline_and_an_unchanged_run_have_no_churn(gate):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    assert run(["check"]) == 0

    expected = {"overlap@2": (1, 1), "rbo": (1, 1), "first_hit_displacement": (0, 0)}
    assert values(gate) == expected


def test_another_order_is_shown_and_named_by_rank_not_by_set(gate):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.record(swapped)

    assert run(["check"]) == 0

    # Two of eight samples: depth 1 disagrees and weighs 1 - p; each first document moved one rank.
    assert values(gate) == {
        "overlap@2": (1, 1),
        "rbo": (1, (6 + 2 * 0.5) / 8),
        "first_hit_displacement": (0, 2 / 8),
    }


def test_another_document_is_shown(gate):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.record(exchanged)

    assert run(["check"]) == 0

    before, after = values(gate)["overlap@2"]
    assert before == 1
    assert after == pytest.approx((7 + 1 / 3) / 8, abs=1e-6)
    assert values(gate)["first_hit_displacement"] == (0, 0)


@pytest.mark.parametrize(
    ("name", "limit", "code"),
    [
        ("rbo", "minimum = 0.98", 1),
        ("rbo", "minimum = 0.97", 0),
        ("first_hit_displacement", "maximum = 0.2", 1),
        ("first_hit_displacement", "maximum = 0.3", 0),
        ('"overlap@1"', "minimum = 0.9", 1),
        ('"overlap@2"', "minimum = 0.9", 0),
    ],
)
def test_a_limit_holds_it_in_the_direction_that_it_says(gate, name, limit, code):
    """The baseline need not hold the metric: its documents are there."""
    gate.configure(metrics="")
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.record(swapped)
    gate.configure(metrics=LIMIT.format(name=name, limit=limit))

    assert run(["check"]) == code


def test_a_baseline_of_hashes_alone_holds_the_rankings(gate):
    gate.configure(policy='store = "hashes"')
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.record(swapped)

    assert run(["check"]) == 0

    assert values(gate)["first_hit_displacement"] == (0, 2 / 8)


def test_samples_that_are_all_new_do_not_pass_a_limit(gate, capsys):
    gate.configure(metrics=LIMIT.format(name="rbo", limit="minimum = 0.1"))
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.write_golden(range(SAMPLES), query="Something else?")
    gate.record(swapped)

    assert run(["check"]) != 0

    shown = " ".join(capsys.readouterr().out.split())
    assert "the baseline has no ranking of these samples" in shown


def test_a_wrong_p_names_the_table_and_the_key(gate, capsys):
    gate.configure(metrics="[policy.metrics.rbo]\np = 1.0\n")

    assert run(["check"]) == 2

    shown = " ".join(capsys.readouterr().err.split())
    assert '[policy.metrics."rbo"]: p = 1.0: Input should be less than 1' in shown


def test_the_drill_compares_with_the_baseline_as_a_check_does(gate, capsys):
    gate.configure(metrics=LIMIT.format(name="rbo", limit="minimum = 0.99"))
    assert run(["baseline", "update", "--runs", "1"]) == 0
    assert run(["check"]) == 0
    capsys.readouterr()

    assert run(["drill", "--json"]) == 0

    breaks = json.loads(capsys.readouterr().out)
    assert "rbo" in {name for row in breaks["rows"] for name in row["by"]}


def test_the_report_says_how_many_samples_are_left_out(gate: ReplayProject) -> None:
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.samples += 2
    gate.write_golden(range(gate.samples))
    gate.record(right)

    assert run(["check"]) == 0

    reasons = {row["metric"]: row["reason"] for row in gate.report()["decision"]["metrics"]}
    left_out = f"2 of {SAMPLES + 2} samples left out"
    assert all(reasons[name].endswith(f"limit only; {left_out}") for name in NAMES)
