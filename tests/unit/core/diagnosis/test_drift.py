"""A control that moved as well takes the blame from the change."""

from __future__ import annotations

from ragate.models import CauseKind
from tests.unit.core.diagnosis.cause_factory import cause
from tests.unit.core.diagnosis.diagnosis_factory import record

WRONG = "The limit is 250 requests, says Marlow."


def test_a_control_that_moved_as_well_is_drift():
    before, after = [record(idf_f1=1.0)], [record(answer=WRONG, idf_f1=0.0)]

    found = cause(before, after, control=[record(answer="Some.", idf_f1=0.0)])

    assert found.kind is CauseKind.DRIFT
    assert "idf_f1 1.000 -> 0.000" in found.evidence


def test_a_control_that_held_leaves_the_blame_where_it_was():
    before, after = [record(idf_f1=1.0)], [record(answer=WRONG, idf_f1=0.0)]

    assert cause(before, after, control=before).kind is CauseKind.GENERATION


def test_a_control_that_moved_by_less_and_overlaps_is_unknown():
    before = [record(idf_f1=1.0)]
    control = [record(answer="a", idf_f1=1.0), record(answer="b", idf_f1=0.0)] * 2
    control.append(record(answer="c", idf_f1=1.0))
    after = [record(answer=WRONG, idf_f1=0.0)]

    assert cause(before, after, control=control).kind is CauseKind.UNKNOWN


def test_drift_of_the_whole_set_keeps_a_sample_from_blaming_the_prompt():
    before, after = [record(idf_f1=1.0)], [record(answer=WRONG, idf_f1=0.0)]

    found = cause(before, after, control=before, drifted=frozenset({"idf_f1"}))

    assert found.kind is CauseKind.UNKNOWN
