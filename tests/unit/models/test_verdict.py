"""The exit code is the verdict's, in a decision, in a proposed one, and in a stored report."""

import pytest
from pydantic import ValidationError

from ragate.models import Decision, Proposed, Report, Verdict
from tests.factories import EXIT_CODES, decision_factory, report_factory


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_exit_code_follows_from_the_verdict(verdict: Verdict):
    assert Decision(verdict=verdict).exit_code == EXIT_CODES[verdict]
    assert Proposed(verdict=verdict).exit_code == EXIT_CODES[verdict]


def test_what_could_not_be_computed_has_no_exit_code():
    assert Proposed().exit_code is None


@pytest.mark.parametrize("model", [Decision, Proposed])
@pytest.mark.parametrize(
    ("verdict", "code"), [("passed", 1), ("failed", 0), ("no_decision", 0), ("bootstrap", None)]
)
def test_another_exit_code_beside_a_verdict_is_refused(
    model: type[Decision | Proposed], verdict: str, code: int | None
):
    with pytest.raises(ValidationError, match=f"exit code {code} is not that of {verdict}"):
        model.model_validate({"verdict": verdict, "exit_code": code})


def test_an_exit_code_without_a_verdict_is_refused():
    with pytest.raises(ValidationError, match="exit code 0 is not that of no verdict"):
        Proposed.model_validate({"exit_code": 0})


def test_a_report_is_read_back_as_it_was_written():
    report = report_factory(
        decision_factory(Verdict.FAILED), proposed=Proposed(verdict=Verdict.PASSED)
    )

    assert Report.model_validate_json(report.model_dump_json()) == report


def test_a_stored_report_with_another_exit_code_than_its_verdicts_is_refused():
    text = report_factory(decision_factory(Verdict.FAILED)).model_dump_json()

    with pytest.raises(ValidationError, match="exit code 0 is not that of failed"):
        Report.model_validate_json(text.replace('"exit_code":1', '"exit_code":0'))
