"""Values are amended with names and values that are checked."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from ragate.models import Decision, Run, RunManifest, SystemInfo, SystemOutput, Verdict
from ragate.models.base import lean

PACKAGE = Path(__file__).parents[3] / "ragate"

# The remarks for mypy are a test too: without tools/mypy_amended.py it would report them as unused.


def test_the_other_fields_stay_and_the_original_is_untouched():
    decision = Decision(verdict=Verdict.FAILED, reasons=("mrr fell",))

    amended = decision.amended(warnings=("few samples",))

    assert amended == Decision(
        verdict=Verdict.FAILED, reasons=("mrr fell",), warnings=("few samples",)
    )
    assert decision.warnings == ()


def test_another_verdict_brings_its_exit_code():
    assert Decision(verdict=Verdict.PASSED).amended(verdict=Verdict.FAILED).exit_code == 1


def test_a_name_that_is_no_field_is_refused():
    with pytest.raises(TypeError, match="Decision has no field reason"):
        Decision(verdict=Verdict.PASSED).amended(reason="mrr fell")  # type: ignore[call-arg]


def test_what_follows_from_a_field_is_none_itself():
    with pytest.raises(TypeError, match="Decision has no field exit_code"):
        Decision(verdict=Verdict.PASSED).amended(exit_code=1)  # type: ignore[call-arg]


def test_a_value_that_does_not_fit_its_field_is_refused():
    with pytest.raises(ValidationError, match="warnings"):
        Decision(verdict=Verdict.PASSED).amended(warnings=3)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="latency_s"):
        SystemOutput().amended(latency_s=float("nan"))


def test_what_was_left_to_its_default_is_still_left_to_it():
    amended = lean(SystemOutput(answer="blue")).amended(latency_s=1.0)

    assert amended.model_fields_set == {"answer", "latency_s"}


def test_records_that_are_read_when_they_are_looked_at_are_not_looked_at():
    records = LooksBack()
    run = Run(manifest=RunManifest(system=SystemInfo(use="replay")), records=records)

    assert run.amended(aggregates=({},)).records is records


def test_nothing_is_amended_without_a_check():
    modules = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}

    assert [path for path, text in modules.items() if "model_copy(" in text] == []


class LooksBack(tuple[()]):
    def __iter__(self):
        raise AssertionError("read")
