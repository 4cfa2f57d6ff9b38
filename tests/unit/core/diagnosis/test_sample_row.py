"""The row of one changed sample."""

from __future__ import annotations

from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.models import CauseKind, Rule, Score, unscored
from tests.unit.core.diagnosis.changed_factory import RULES, changed
from tests.unit.core.diagnosis.diagnosis_factory import RIGHT, SAMPLE, record, run_of

WRONG = "The limit is 250 requests, says Marlow."


def test_a_row_holds_means_ranks_and_both_sides():
    before = [record(idf_f1=1.0, mrr=1.0), record(run=1, idf_f1=0.8, mrr=1.0)]
    after = [record(("old.md",), WRONG, idf_f1=0.1, mrr=0.0)]

    (row,), unchanged = changed([SAMPLE], before, after)

    assert unchanged == 0
    assert row.change == "worse"
    assert [(one.metric, one.before, one.after) for one in row.scores] == [
        ("mrr", 1.0, 0.0),
        ("idf_f1", 0.9, 0.1),
    ]
    assert [(one.doc_id, one.before, one.after) for one in row.ranks] == [("limits.md", 1, None)]
    assert row.baseline
    assert row.baseline.answer == RIGHT
    assert row.candidate
    assert row.candidate.docs == ("old.md",)
    assert row.cause
    assert row.cause.kind is CauseKind.RETRIEVAL


def test_a_score_with_a_pass_mark_says_pass_or_fail_by_most_of_its_runs():
    before = [record(idf_f1=1.0, mrr=1.0), record(run=1, idf_f1=0.4, mrr=1.0)]
    before.append(record(run=2, idf_f1=0.9, mrr=1.0))
    after = [record(("old.md",), WRONG, idf_f1=0.1, mrr=0.0)]
    rules = [Rule(metric="idf_f1", pass_at=0.5), Rule(metric="mrr")]

    (row,), *_ = changed_samples(
        [SAMPLE], run_of(*before), run_of(*after), rules=rules, missing_documents={}
    )

    shown = {one.metric: (one.passed, one.passes) for one in row.scores}
    assert shown == {"idf_f1": (True, False), "mrr": (None, None)}


def test_a_score_that_could_not_be_measured_is_listed_with_the_reason():
    after = record().amended(scores={"idf_f1": unscored("idf_f1", "judge timeout")})

    rows, unchanged = changed([SAMPLE], [record(idf_f1=1.0)], [after])

    assert unchanged == 0
    assert rows[0].scores[0].after is None
    assert rows[0].scores[0].reason == "judge timeout"


def test_scores_of_another_judge_are_marked():
    rows, *_ = changed_samples(
        [SAMPLE],
        run_of(record(correctness=5.0), judge="judge-1"),
        run_of(record(answer="x", correctness=1.0), judge="judge-2"),
        rules=RULES,
        missing_documents={},
    )

    assert "another judge" in rows[0].scores[0].reason
    assert rows[0].cause
    assert rows[0].cause.kind is CauseKind.UNKNOWN


def test_a_score_that_moved_says_what_the_judge_said_of_it():
    judged = Score(metric="idf_f1", value=0.1, reason="no context names Marlow")
    after = record(("old.md",), WRONG, idf_f1=0.1, mrr=0.0)
    after = after.amended(scores={**after.scores, "idf_f1": judged})

    (row,), _ = changed([SAMPLE], [record(idf_f1=1.0, mrr=1.0)], [after])

    reasons = {score.metric: score.reason for score in row.scores}
    assert reasons == {"idf_f1": "no context names Marlow", "mrr": ""}
