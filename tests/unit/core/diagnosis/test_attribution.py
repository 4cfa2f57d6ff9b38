"""Contexts against answer: which of the two made the flip."""

from __future__ import annotations

import pytest

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.models import CauseKind
from tests.unit.core.diagnosis.cause_factory import cause
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, SAMPLE, record, with_texts

WRONG = "The limit is 250 requests, says Marlow."


def test_contexts_that_the_baseline_had_in_its_own_bad_run_are_noise():
    before = [record(idf_f1=1.0), record(("other.md",), "No idea at all.", run=1, idf_f1=0.0)]

    found = cause(before, [record(("other.md",), "Nothing was said.", idf_f1=0.0)])

    assert found.kind is CauseKind.UNKNOWN


def test_a_fall_in_rank_is_retrieval_where_the_answer_follows_what_is_ahead_now():
    found = cause(
        [record(mrr=1.0, idf_f1=1.0, light=True)],
        [record(("old.md", "limits.md"), WRONG, mrr=0.5, idf_f1=0.0)],
    )

    assert found.kind is CauseKind.RETRIEVAL
    assert '"250"' in found.evidence


def test_a_lost_document_whose_content_is_still_there_is_unknown():
    docs = ("copy.md", "other.md")
    after = record(docs, WRONG, mrr=0.0, idf_f1=0.0)
    chunks = [one.amended(text="600 requests a minute for each key")
              for one in after.output.chunks]  # fmt: skip
    output = after.output.amended(chunks=tuple(chunks))

    found = cause([record(mrr=1.0, idf_f1=1.0)], [after.amended(output=output)])

    assert found.kind is CauseKind.UNKNOWN


def test_a_made_up_fact_is_generation_although_the_ranks_fell():
    found = cause(
        [record(mrr=1.0, idf_f1=1.0, light=True)],
        [record(("third.md", "limits.md"), "The limit is 6,000 requests.", mrr=0.5, idf_f1=0.0)],
    )

    assert found.kind is CauseKind.GENERATION
    assert '"6000", which no retrieved chunk holds' in found.evidence


def test_an_answer_cut_short_is_generation_although_the_contexts_changed():
    found = cause(
        [record(mrr=1.0, idf_f1=1.0, light=True)],
        [record(("third.md", "limits.md"), "The limit is", mrr=0.5, idf_f1=0.0)],
    )

    assert found.kind is CauseKind.GENERATION


def test_contexts_that_changed_elsewhere_leave_generation():
    found = cause(
        [record(mrr=1.0, idf_f1=1.0, light=True)],
        [record(("limits.md", "third.md"), "I cannot help.", mrr=1.0, idf_f1=0.0)],
    )

    assert found.kind is CauseKind.GENERATION
    assert "limits.md still at rank 1" in found.evidence


def test_an_expected_document_that_lost_a_chunk_is_not_taken_as_held():
    found = cause(
        [record(("limits.md", "limits.md", "other.md"), idf_f1=1.0, light=True)],
        [record(("limits.md", "other.md"), "I cannot help.", idf_f1=0.0)],
    )

    assert found.kind is CauseKind.GENERATION  # an equal passage is left
    bare = SAMPLE.amended(references=())
    before = [with_texts(record(("limits.md", "limits.md"), idf_f1=1.0, sample=bare), "a", "b")]
    after = [with_texts(record(("limits.md",), "I cannot help.", idf_f1=0.0, sample=bare), "a")]
    assert diagnose(SampleDiff(bare, before, after, METRICS)).kind is CauseKind.UNKNOWN


def test_contexts_and_answers_that_both_changed_are_unknown_without_texts():
    found = cause(
        [record(mrr=1.0, idf_f1=1.0, light=True)],
        [record(("other.md", "limits.md"), WRONG, mrr=0.5, idf_f1=0.0, light=True)],
    )

    assert found.kind is CauseKind.UNKNOWN


def test_scores_of_two_judges_blame_nothing_where_the_output_changed():
    found = cause(
        [record(correctness=5.0)],
        [record(("limits.md", "old.md"), WRONG, correctness=2.0)],
        incomparable=frozenset({"correctness"}),
    )

    assert found.kind is CauseKind.UNKNOWN


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


def test_an_answer_without_any_document_is_not_put_down_to_the_same_ones() -> None:
    found = cause([record((), idf_f1=1.0)], [record((), answer="Other.", idf_f1=0.0)])

    assert found.kind is CauseKind.UNKNOWN
    assert "no document was returned on either side" in found.evidence
