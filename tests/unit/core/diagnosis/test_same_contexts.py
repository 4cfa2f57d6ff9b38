"""The same contexts, and another answer or another score."""

from __future__ import annotations

import pytest

from ragate.models import CauseKind
from tests.unit.core.diagnosis.cause_factory import cause
from tests.unit.core.diagnosis.diagnosis_factory import record

WRONG = "The limit is 250 requests, says Marlow."


def test_an_identical_request_with_another_answer_is_drift_where_the_baseline_was_steady():
    before = [record(run=run, request="r", idf_f1=1.0) for run in range(3)]

    found = cause(before, [record(answer=WRONG, request="r", idf_f1=0.0)])

    assert found.kind is CauseKind.DRIFT


def test_an_identical_request_is_unknown_with_one_baseline_run():
    found = cause(
        [record(request="r", idf_f1=1.0)], [record(answer=WRONG, request="r", idf_f1=0.0)]
    )

    assert found.kind is CauseKind.UNKNOWN


def test_the_same_output_with_another_verdict_is_the_judge():
    found = cause([record(correctness=5.0)], [record(correctness=2.0)])

    assert found.kind is CauseKind.JUDGE
    assert found.evidence == "same output, another verdict: correctness 5.000 -> 2.000"


def test_the_same_output_scored_otherwise_without_a_judge_is_unknown():
    assert cause([record(idf_f1=1.0)], [record(idf_f1=0.5)]).kind is CauseKind.UNKNOWN


def test_an_output_that_the_baseline_gave_too_is_noise_and_blames_nothing():
    before = [record(idf_f1=1.0), record(answer=WRONG, run=1, idf_f1=0.0)]

    found = cause(before, [record(answer=WRONG, idf_f1=0.0)])

    assert found.kind is CauseKind.UNKNOWN
    assert "noise" in found.evidence


def test_the_same_answer_with_another_verdict_on_correctness_is_the_judge():
    found = cause([record(correctness=5.0)], [record(("limits.md", "old.md"), correctness=2.0)])

    assert found.kind is CauseKind.JUDGE


def test_the_same_contexts_with_another_answer_are_generation():
    found = cause([record(idf_f1=1.0)], [record(answer=WRONG, idf_f1=0.0)])

    assert found.kind is CauseKind.GENERATION
    assert found.evidence == (
        "same 2 chunks, another answer: idf_f1 1.000 -> 0.000; "
        'it now says "250", "marlow", which no retrieved chunk holds'
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Invoices come on the first of the month.", "as other.md does, not the expected document"),
        ("The limit: 600 requests.", "an earlier answer, cut short"),
        ("It is 600.", "it says nothing new in 3 words, 7 before"),
        ("Every key may send at most 600 requests in a minute.", ""),
    ],
)
def test_an_answer_from_the_same_contexts_tells_what_became_of_it(answer: str, said: str):
    found = cause([record(idf_f1=1.0)], [record(answer=answer, idf_f1=0.5)])

    assert found.kind is CauseKind.GENERATION
    assert found.evidence.endswith(said or "idf_f1 1.000 -> 0.500")


def test_a_better_answer_is_not_said_to_be_cut_short():
    found = cause([record(idf_f1=0.5)], [record(answer="600 requests a minute.", idf_f1=1.0)])

    assert found.evidence == "same 2 chunks, another answer: idf_f1 0.500 -> 1.000"


def test_a_baseline_whose_own_answers_differ_is_said():
    before = [record(idf_f1=1.0), record(answer="600 it is.", run=1, idf_f1=0.9)]

    found = cause(before, [record(answer=WRONG, idf_f1=0.0)])

    assert found.evidence.endswith("the baseline's own 2 runs gave 2 answers")
