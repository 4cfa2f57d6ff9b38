from __future__ import annotations

from typing import Any

import pytest

from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.models import (
    CauseKind,
    Direction,
    Failure,
    MetricInfo,
    Record,
    Rule,
    Sample,
    SampleRow,
    unscored,
)
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, RIGHT, SAMPLE, record, run_of

RULES = (Rule(metric="idf_f1"), Rule(metric="mrr", level="warn"))
WRONG = "The limit is 250 requests, says Marlow."


def sample(name: str, *, must_pass: bool = False) -> Sample:
    return Sample(**SAMPLE.model_dump() | {"id": name, "must_pass": must_pass})


def changed(
    samples: list[Sample], before: list[Record], after: list[Record], **more: object
) -> tuple[tuple[SampleRow, ...], int]:
    more = {"rules": RULES, "missing_documents": {}} | more
    return changed_samples(samples, run_of(*before), run_of(*after), **more)[:2]  # type: ignore[arg-type]


def test_equal_samples_are_counted_and_not_listed():
    same = [record(idf_f1=1.0)]

    assert changed([SAMPLE], same, same) == ((), 1)


def test_six_decimals_of_a_baseline_are_no_change():
    assert changed([SAMPLE], [record(idf_f1=0.333333)], [record(idf_f1=1 / 3)]) == ((), 1)


def test_an_output_that_the_baseline_gave_in_one_run_is_no_change():
    before = [record(idf_f1=1.0), record(answer="Other words.", run=1, idf_f1=1.0)]

    assert changed([SAMPLE], before, [record(idf_f1=1.0)]) == ((), 1)


def test_seconds_are_no_change():
    metrics = {"latency": MetricInfo(name="latency", unit="seconds", high=None)}
    before = run_of(record(latency=1.0), metrics=metrics)
    after = run_of(record(latency=2.0), metrics=metrics)

    assert changed_samples(
        [SAMPLE], before, after, rules=RULES, missing_documents={}
    ) == ((), 1, 0)  # fmt: skip


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


def test_a_metric_where_lower_is_better_gets_worse_when_it_rises():
    metrics = {"false_refusal": MetricInfo(name="false_refusal", direction=Direction.LOWER)}
    rows, _, _ = changed_samples(
        [SAMPLE],
        run_of(record(false_refusal=0.0), metrics=metrics),
        run_of(record(answer="No.", false_refusal=1.0), metrics=metrics),
        rules=RULES,
        missing_documents={},
    )

    assert rows[0].change == "worse"


@pytest.mark.parametrize(
    ("scores", "change"),
    [({"idf_f1": 1.0, "mrr": 0.5}, "better"), ({"idf_f1": 1.0, "mrr": 0.1}, "mixed")],
)
def test_the_change_is_named_by_where_the_metrics_went(scores: dict[str, Any], change: str):
    rows, _ = changed([SAMPLE], [record(idf_f1=0.5, mrr=0.5)], [record(answer="x", **scores)])

    assert rows[0].change == change


def test_another_output_with_equal_scores_is_listed_as_the_same():
    rows, unchanged = changed([SAMPLE], [record(idf_f1=1.0)], [record(answer="x", idf_f1=1.0)])

    assert (rows[0].change, rows[0].cause, unchanged) == ("same", None, 0)


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


def test_a_new_sample_that_passes_is_not_listed():
    rules = (Rule(metric="idf_f1", minimum=0.5),)

    assert changed([SAMPLE], [], [record(idf_f1=0.9)], rules=rules) == ((), 0)


def test_a_new_sample_below_the_floor_is_listed():
    rows, unchanged = changed(
        [SAMPLE], [], [record(idf_f1=0.4)], rules=(Rule(metric="idf_f1", minimum=0.5),)
    )

    assert (rows[0].change, unchanged) == ("new", 0)
    assert rows[0].baseline is None
    assert rows[0].cause
    assert rows[0].cause.kind is CauseKind.DATA


def test_an_edited_sample_that_fails_says_so():
    old = SAMPLE.model_copy(update={"query": "How many?"})
    rules = (Rule(metric="idf_f1", minimum=0.5),)

    rows, _ = changed([SAMPLE], [record(sample=old, idf_f1=1.0)], [record(idf_f1=0.4)], rules=rules)

    assert rows[0].change == "new"
    assert rows[0].cause
    assert "edited" in rows[0].cause.evidence


def test_without_a_baseline_only_what_fails_is_listed():
    rows, unchanged, _ = changed_samples(
        [SAMPLE, sample("gone")],
        None,
        run_of(record(idf_f1=1.0), record(sample=sample("gone"), idf_f1=1.0)),
        rules=RULES,
        missing_documents={"gone": ("limits.md",)},
    )

    assert [row.sample_id for row in rows] == ["gone"]
    assert unchanged == 0


def test_a_must_pass_sample_that_still_fails_is_shown_and_counted_as_unchanged():
    one = sample("must", must_pass=True)
    same = [record(sample=one, idf_f1=0.2)]

    rows, unchanged = changed([one], same, same, rules=(Rule(metric="idf_f1", pass_at=0.5),))

    assert [row.change for row in rows] == ["same"]
    assert unchanged == 1


def test_a_must_pass_sample_that_missed_one_try_of_three_is_not_failing():
    one = sample("must", must_pass=True)
    same = [record(sample=one, run=run, idf_f1=0.2 if run == 0 else 1.0) for run in range(3)]

    assert changed([one], same, same, rules=(Rule(metric="idf_f1", pass_at=0.5),)) == ((), 1)


def test_a_score_that_could_not_be_measured_is_listed_with_the_reason():
    after = record().model_copy(update={"scores": {"idf_f1": unscored("idf_f1", "judge timeout")}})

    rows, unchanged = changed([SAMPLE], [record(idf_f1=1.0)], [after])

    assert unchanged == 0
    assert rows[0].scores[0].after is None
    assert rows[0].scores[0].reason == "judge timeout"


def test_scores_of_another_judge_are_marked():
    rows, _, _ = changed_samples(
        [SAMPLE],
        run_of(record(correctness=5.0), judge="judge-1"),
        run_of(record(answer="x", correctness=1.0), judge="judge-2"),
        rules=RULES,
        missing_documents={},
    )

    assert "another judge" in rows[0].scores[0].reason
    assert rows[0].cause
    assert rows[0].cause.kind is CauseKind.UNKNOWN


def test_a_control_that_moved_on_the_whole_set_never_blames_the_change():
    samples = [sample(f"q{number}") for number in range(6)]
    before = [record(sample=one, idf_f1=1.0) for one in samples]
    after = [record(sample=one, answer=WRONG, idf_f1=0.0) for one in samples]
    control = [
        record(sample=one, answer=RIGHT if place == 0 else "Some.", idf_f1=float(place == 0))
        for place, one in enumerate(samples)
    ]

    rows, _ = changed(samples, before, after, control=run_of(*control))

    assert {row.cause.kind for row in rows if row.cause} == {CauseKind.DRIFT, CauseKind.UNKNOWN}


def test_parts_of_the_system_that_changed_are_evidence():
    after = record(idf_f1=0.5).model_copy(
        update={"retrieval_hash": "other texts", "output_hash": "other output"}
    )
    rows, _, _ = changed_samples(
        [SAMPLE],
        run_of(record(idf_f1=1.0), parts={"chunk_size": "512", "corpus": "a"}),
        run_of(after, parts={"chunk_size": "256", "corpus": "a"}, metrics=METRICS),
        rules=RULES,
        missing_documents={},
    )

    assert rows[0].cause
    assert rows[0].cause.evidence.startswith("changed: chunk_size; ")


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
