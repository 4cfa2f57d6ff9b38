"""What the action adds to the line's report: reasons against comparing, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragate.github.gate.report_edits import answerable, recordable, undecided, warned
from ragate.models import Verdict
from tests.factories import EXIT_CODES, decision_factory, report_factory
from tests.unit.github.commits.test_pull_request import EVENT

HEAD = "a" * 40
PROBLEM = ("the change is tested on another system",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Verdict.PASSED, Verdict.NO_DECISION),
        (Verdict.FAILED, Verdict.FAILED),
        (Verdict.NO_DECISION, Verdict.NO_DECISION),
    ],
)
def test_a_pass_that_may_not_be_compared_is_no_decision_and_red_stays_red(before, after) -> None:
    report = report_factory(decision_factory(before))
    found = undecided(report, PROBLEM, ("merge it first",)).decision
    assert (found.verdict, found.exit_code) == (after, EXIT_CODES[after])
    assert found.reasons[:1] == PROBLEM
    assert found.remedies[:1] == ("merge it first",)
    assert undecided(report, (), ()) == report


def test_another_system_can_be_accepted_by_name_and_a_pass_needs_no_accept() -> None:
    report = undecided(report_factory(decision_factory()), PROBLEM, ())
    told = answerable(report, HEAD, PROBLEM).decision.remedies
    assert told[-1] == '/ragate accept aaaaaaa system "reason"'
    passed = report_factory(decision_factory())
    assert answerable(passed, HEAD, ()) == passed


def test_a_missing_baseline_names_who_records_it() -> None:
    decision = decision_factory(Verdict.NO_DECISION)
    bare = report_factory(decision).model_copy(update={"baseline_system": None})
    (told, *_) = recordable(bare, EVENT).decision.remedies
    assert told.startswith("the workflow of mode baseline records")
    assert "on main" in told
    there = report_factory(decision)
    assert there.baseline_system is not None
    assert recordable(there, EVENT) == there
    nameless = recordable(bare, replace(EVENT, default_branch="")).decision.remedies[0]
    assert "on the default branch" in nameless


def test_warnings_come_first() -> None:
    report = report_factory(decision_factory(warnings=("old",)))
    assert warned(report, ("new",)).decision.warnings == ("new", "old")
    assert warned(report, ()) == report
