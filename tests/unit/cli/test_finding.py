"""A finding of doctor: its place and its exit code."""

from __future__ import annotations

from ragate.cli.finding import Finding, exit_code, guarded, of_error, ok, problem, warning
from ragate.errors import BaselineError, NoBaselineError


def test_a_file_to_edit_counts_more_than_a_server_out_of_reach() -> None:
    far = problem("database", "refused", "start it", exit_code=3)
    wrong = problem("golden set", "line 3", "correct it")

    assert exit_code([]) == 0
    assert exit_code([ok("a", "b"), warning("a", "b", "c")]) == 0
    assert exit_code([far]) == 3
    assert exit_code([far, wrong]) == 2


def test_an_expected_error_becomes_a_problem_with_its_own_exit_code() -> None:
    assert of_error("baseline", BaselineError("torn", remedy="mend")).exit_code == 2
    assert of_error("baseline", NoBaselineError("none", remedy="record")).exit_code == 3


def test_an_unexpected_error_in_a_check_is_a_finding_and_hides_nothing() -> None:
    def broken() -> list[Finding]:
        raise ZeroDivisionError("division by zero")

    found = guarded("system", broken)

    assert [one.exit_code for one in found] == [3]
    assert "ZeroDivisionError" in found[0].message
