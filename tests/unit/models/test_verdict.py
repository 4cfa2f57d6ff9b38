"""The exit code is the verdict's, in a decision and in a stored report."""

import pytest
from pydantic import ValidationError

from ragate.models import Decision, Report, Verdict
from tests.factories import EXIT_CODES, decision_factory, report_factory


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_exit_code_follows_from_the_verdict(verdict: Verdict):
    assert Decision(verdict=verdict).exit_code == EXIT_CODES[verdict]


@pytest.mark.parametrize(
    ("verdict", "code"), [("passed", 1), ("failed", 0), ("no_decision", 0), ("bootstrap", None)]
)
def test_another_exit_code_beside_a_verdict_is_refused(verdict: str, code: int | None):
    with pytest.raises(ValidationError, match=f"exit code {code} is not that of {verdict}"):
        Decision.model_validate({"verdict": verdict, "exit_code": code})


def test_a_report_is_read_back_as_it_was_written():
    report = report_factory(decision_factory(Verdict.FAILED), rules_differ=("the baseline",))

    assert Report.model_validate_json(report.model_dump_json()) == report


def test_a_report_that_was_stored_with_a_proposed_verdict_is_read():
    report = report_factory(decision_factory(Verdict.FAILED))
    proposed = {"verdict": "passed", "exit_code": 0}
    stored = {**report.model_dump(mode="json"), "schema_version": 1, "proposed": proposed}

    assert Report.model_validate(stored) == report


def test_a_stored_report_with_another_exit_code_than_its_verdicts_is_refused():
    text = report_factory(decision_factory(Verdict.FAILED)).model_dump_json()

    with pytest.raises(ValidationError, match="exit code 0 is not that of failed"):
        Report.model_validate_json(text.replace('"exit_code":1', '"exit_code":0'))
