"""What the action adds to the line's report: reasons against comparing, and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.github.gate.finalise import (
    Circumstances,
    accept_comment,
    final_report,
    recording_remedy,
    with_own_file,
)
from ragate.github.gate.output_provenance import Provenance
from ragate.models import Report, SystemInfo, Verdict
from tests.factories import decision_factory, report_factory

HEAD, BASE = "a" * 40, "b" * 40
PROBLEM = ("the change is tested on another system",)
ACCEPT = accept_comment(HEAD)


def final(report: Report, **known: Any) -> Report:
    return final_report(report, Circumstances(head=HEAD, base=BASE, pull=7, **known))


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
    decision = final(report, problems=PROBLEM, remedies=("merge it first",)).decision
    assert decision.verdict is after
    assert decision.reasons[:1] == PROBLEM
    assert decision.remedies[:1] == ("merge it first",)
    assert final(report).decision == report.decision


def test_a_change_that_was_not_measured_has_its_reasons_and_remedies_once() -> None:
    decision = decision_factory(Verdict.NO_DECISION, reasons=PROBLEM, remedies=("merge it",))
    report = report_factory(decision, run_id="")
    assert final(report, problems=PROBLEM, remedies=("merge it",)).decision == decision


def test_another_system_can_be_accepted_by_name_and_a_pass_needs_no_accept() -> None:
    passed = report_factory(decision_factory())
    stopped = final(passed, problems=PROBLEM, accepting=ACCEPT)
    assert stopped.decision.remedies[-1] == '/ragate accept aaaaaaa system "reason"'
    assert final(passed, accepting=ACCEPT).decision == passed.decision


def test_a_bootstrap_passes_whatever_speaks_against_comparing_and_needs_no_accept() -> None:
    report = report_factory(decision_factory())
    first = final(report, problems=PROBLEM, accepting=ACCEPT, bootstrap=True)
    assert first.decision.verdict is Verdict.BOOTSTRAP
    assert ACCEPT not in first.decision.remedies
    assert first.decision.reasons[1:] == PROBLEM


@pytest.mark.parametrize(("branch", "words"), [("main", "main"), ("", "the default branch")])
def test_a_missing_baseline_names_who_records_it(branch: str, words: str) -> None:
    decision = decision_factory(Verdict.NO_DECISION)
    bare = report_factory(decision).amended(baseline_system=None)
    recording = recording_remedy(bare.baseline_path, branch)
    (remedy, *_) = final(bare, recording=recording).decision.remedies
    assert remedy.startswith("the workflow of mode baseline records")
    assert f"on {words};" in remedy


def test_a_baseline_that_is_there_needs_nobody_to_record_it() -> None:
    report = report_factory(decision_factory(Verdict.NO_DECISION))
    assert report.baseline_system is not None
    assert final(report, recording="record it").decision == report.decision


def test_warnings_come_first() -> None:
    report = report_factory(decision_factory(warnings=("old",)))
    assert final(report, warnings=("new",)).decision.warnings == ("new", "old")


def test_a_report_names_what_was_judged_and_keeps_an_address_of_its_own() -> None:
    bare = report_factory().amended(report_url="")
    report = final(bare, url="https://example.org/run")
    assert (report.head, report.base, report.pull) == (HEAD, BASE, 7)
    assert report.report_url == "https://example.org/run"
    named = final(bare.amended(report_url="https://a.example"), url="https://b.example")
    assert named.report_url == "https://a.example"


@pytest.mark.parametrize(
    ("recorded", "read", "is_own"),
    [("a", "a", True), ("a", "b", False), ("", "", False)],
)
def test_the_file_of_scores_that_the_baseline_was_recorded_from_measured_nothing(
    recorded: str, read: str, is_own: bool
) -> None:
    old, new = (
        SystemInfo(use="scores", parts={"measurement": name} if name else {})
        for name in (recorded, read)
    )
    report = report_factory().amended(system=new, baseline_system=old)

    found = with_own_file(Provenance(), report)
    assert bool(found.other_system) is bool(found.remedies) is is_own
