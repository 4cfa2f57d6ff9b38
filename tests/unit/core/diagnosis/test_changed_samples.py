"""What happened to the questions that got worse, in counts."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.diagnosis.changed_samples import changed_samples, story_of
from ragate.models import CauseKind, Failure, Rule, SampleRow, SampleSide, Score, TagLoss, unscored
from tests.factories import sample_factory, sample_row_factory, told
from tests.unit.core.diagnosis.changed_factory import RULES, changed, sample
from tests.unit.core.diagnosis.diagnosis_factory import RIGHT, SAMPLE, record, run_of

WRONG = "The limit is 250 requests, says Marlow."


def test_equal_samples_are_counted_and_not_listed():
    same = [record(idf_f1=1.0)]

    assert changed([SAMPLE], same, same) == ((), 1)


def test_an_output_that_the_baseline_gave_in_one_run_is_no_change():
    before = [record(idf_f1=1.0), record(answer="Other words.", run=1, idf_f1=1.0)]

    assert changed([SAMPLE], before, [record(idf_f1=1.0)]) == ((), 1)


def test_failures_come_first_and_better_ones_last():
    names = ["better", "warn", "small", "large", "failed", "must", "same", "new"]
    samples = [sample(name, must_pass=name == "must") for name in names]
    before = [record(sample=one, idf_f1=0.5, mrr=0.5) for one in samples[:-1]]
    error = Failure(kind="system", message="boom")
    means = [(0.9, 0.5), (0.5, 0.0), (0.4, 0.5), (0.1, 0.5), (0.0, 0.0), (0.45, 0.5), (0.5, 0.5)]
    means.append((0.0, 0.5))
    after = [
        record(
            answer="x",
            sample=one,
            error=error if one.id == "failed" else None,
            idf_f1=f1,
            mrr=mrr,
        )
        for one, (f1, mrr) in zip(samples, means, strict=True)
    ]
    rules = (Rule(metric="idf_f1", pass_at=0.5), Rule(metric="mrr", level="warn"))

    rows, _ = changed(samples, before, after, rules=rules)

    assert [row.sample_id for row in rows] == [
        "must", "failed", "large", "small", "warn", "new", "better", "same",
    ]  # fmt: skip


def test_samples_beyond_the_most_are_counted_and_the_worst_get_the_rows():
    samples = [sample(f"s{number}") for number in range(5)]
    before = [record(sample=one, idf_f1=1.0) for one in samples]
    after = [
        record(sample=one, answer="x", idf_f1=1.0 - 0.1 * number)
        for number, one in enumerate(samples)
    ]

    found = changed_samples(
        samples, run_of(*before), run_of(*after), rules=RULES, missing_documents={}, most=2
    )

    assert [row.sample_id for row in found.rows] == ["s4", "s3"]
    assert found.left_out == 3


def test_a_lost_pass_stands_before_a_larger_loss_that_passes_or_failed_already():
    samples = [sample(name) for name in ("failed before", "lost its pass", "still passes")]
    scores = [(0.45, 0.0), (0.55, 0.45), (1.0, 0.5)]
    before = [record(sample=one, idf_f1=old) for one, (old, _) in zip(samples, scores, strict=True)]
    after = [
        record(answer="x", sample=one, idf_f1=new)
        for one, (_, new) in zip(samples, scores, strict=True)
    ]

    rows, _ = changed(samples, before, after, rules=(Rule(metric="idf_f1", pass_at=0.5),))

    assert [row.sample_id for row in rows] == ["lost its pass", "still passes", "failed before"]


def test_a_row_tells_which_of_its_answers_refuse():
    before, after = [record(answer="Ja.", idf_f1=1.0)], [record(answer="Weiß nicht.", idf_f1=0.0)]

    (row,), _ = changed([SAMPLE], before, after, refuses=lambda answer: "nicht" in answer)

    assert row.baseline is not None
    assert row.candidate is not None
    assert (row.baseline.refused, row.candidate.refused) == (False, True)


def test_a_must_pass_sample_below_the_floor_of_a_mean_fails_nothing_and_stands_by_its_loss():
    samples = [sample("must", must_pass=True), sample("lost")]
    before = [record(sample=one, idf_f1=1.0, mrr=1.0) for one in samples]
    after = [
        record(answer="x", sample=samples[0], idf_f1=0.5, mrr=1.0),
        record(answer="x", sample=samples[1], idf_f1=1.0, mrr=0.0),
    ]
    rules = (Rule(metric="idf_f1", minimum=0.7), Rule(metric="mrr", pass_at=0.5))

    rows, _ = changed(samples, before, after, rules=rules)

    assert [row.sample_id for row in rows] == ["lost", "must"]


def test_what_got_worse_beyond_the_rows_is_known():
    samples = [sample(f"s{number}") for number in range(5)]
    before = [record(sample=one, idf_f1=0.5) for one in samples]
    after = [record(sample=one, answer="x", idf_f1=0.1) for one in samples[:4]]
    after.append(record(sample=samples[4], answer="x", idf_f1=0.9))

    found = changed_samples(
        samples, run_of(*before), run_of(*after), rules=RULES, missing_documents={}, most=2
    )

    assert [one.id for one in found.worse] == ["s0", "s1", "s2", "s3"]


def lost(sample_id: str, *tags: str) -> SampleRow:
    docs = (["billing/vat.md"], ["terms.md"])
    return sample_row_factory(sample_id, docs=docs, cause=CauseKind.RETRIEVAL, tags=tags)


def test_each_cause_is_counted_and_the_most_frequent_stands_first() -> None:
    judged = [sample_row_factory(f"j{n}", cause=CauseKind.JUDGE) for n in range(2)]
    rows = [sample_row_factory("a"), *judged, lost("c"), sample_row_factory("d", change="better")]

    story = told(rows)

    assert story.worse == 4
    assert list(story.causes.items()) == [(CauseKind.JUDGE, 2), (CauseKind.GENERATION, 1)]
    assert story.lost == 1


@pytest.mark.parametrize("cause", [CauseKind.UNKNOWN, CauseKind.DATA])
def test_a_lost_document_is_told_whether_the_data_did_it_or_nothing_is_proven(cause) -> None:
    row = sample_row_factory(
        docs=(["billing/vat.md"], ["terms.md"]), cause=cause, evidence="both changed"
    )

    story = told([row])

    assert (story.lost, story.causes) == (1, {})


def test_fewer_documents_and_documents_that_nobody_names_are_told_as_such() -> None:
    fewer = {"docs": (["a.md", "b.md"], ["a.md"]), "ranks": (), "cause": CauseKind.UNKNOWN}
    fewer_rows = [sample_row_factory(f"f{n}", **fewer) for n in range(3)]  # type: ignore[arg-type]
    others = sample_row_factory("o", cause=CauseKind.RETRIEVAL, docs=(["a.md", "b"], ["c.md"]))
    sides = [SampleSide(answer=text) for text in ("Yes.", "No.")]
    silent = sample_row_factory("s", cause=CauseKind.UNKNOWN).amended(
        baseline=sides[0], candidate=sides[1]
    )

    story = told([*fewer_rows, others.amended(ranks=()), silent])

    assert (story.fewer, story.came, story.unnamed) == (3, (2, 1), 1)
    assert story.causes == {CauseKind.RETRIEVAL: 1}
    assert story.fewer + story.unnamed + sum(story.causes.values()) == story.worse
    assert told([fewer_rows[0], silent]).came is None


def test_more_documents_behind_the_first_are_told_whatever_became_of_the_scores() -> None:
    more: dict[str, Any] = {"docs": (["a.md"], ["a.md", "b.md"]), "ranks": ()}
    better = [sample_row_factory(f"b{n}", change="better", **more) for n in range(2)]
    worse = sample_row_factory("w", cause=CauseKind.RETRIEVAL, **more)
    other = sample_row_factory("o", cause=CauseKind.RETRIEVAL, docs=(["a.md"], ["c.md", "b.md"]))

    story = told([worse, *better])

    assert (story.came, story.fewer) == ((1, 2), 0)
    assert told([worse, other]).came is None


def test_documents_with_other_text_are_counted_apart_from_causes_that_are_not_known() -> None:
    row = sample_row_factory("a", cause=CauseKind.UNKNOWN)
    assert row.cause is not None
    edited = row.amended(sample_id="b", cause=row.cause.amended(edited=("a.md",)))

    story = told([row, edited])

    assert (story.other_text, story.causes) == (1, {CauseKind.UNKNOWN: 1})


def test_a_refusal_counts_on_the_side_that_it_is_new_on() -> None:
    silent = SampleSide(answer="I do not know.", refused=True)
    gave_up = [sample_row_factory(f"a{n}", candidate=silent) for n in range(2)]
    dared = sample_row_factory("b", baseline=silent)
    always = sample_row_factory("c", baseline=silent, candidate=silent)

    story = told([*gave_up, dared, always])

    assert (story.refused, story.answered) == (2, 1)


def test_a_tag_is_named_only_where_it_stands_out_from_the_rest() -> None:
    golden = [sample_factory(f"s{n}", tags=("setup",) if n < 15 else ("api",)) for n in range(60)]
    hit = [lost(f"s{n}", "setup") for n in range(12)]
    evenly = [lost(f"s{n}", "setup" if n < 15 else "api") for n in range(0, 60, 3)]
    few = [sample_factory(f"s{n}", tags=("runs",) if n < 3 else ()) for n in range(60)]

    assert story_of(hit, golden[:12], golden).hardest == TagLoss(tag="setup", worse=12, of=15)
    assert story_of(evenly, golden[::3], golden).hardest is None
    assert story_of([lost(f"s{n}", *few[n].tags) for n in range(40)], few[:40], few).hardest is None


def test_what_has_no_row_counts_for_the_total_and_for_the_tag_and_causes_say_of_how_many() -> None:
    golden = [sample_factory(f"s{n}", tags=("setup",) if n < 15 else ()) for n in range(60)]

    story = story_of([lost("s0", "setup")], golden[:12], golden)

    assert (story.worse, story.told, story.lost) == (12, 1, 1)
    assert story.hardest == TagLoss(tag="setup", worse=12, of=15)


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
