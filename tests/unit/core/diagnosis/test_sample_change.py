"""What became of one sample."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.core.diagnosis.sample_change import fails
from ragate.models import CauseKind, Failure, Rule
from tests.unit.core.diagnosis.changed_factory import RULES, changed, sample
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, SAMPLE, record, run_of


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
    old = SAMPLE.amended(query="How many?")
    rules = (Rule(metric="idf_f1", minimum=0.5),)

    rows, _ = changed([SAMPLE], [record(sample=old, idf_f1=1.0)], [record(idf_f1=0.4)], rules=rules)

    assert rows[0].change == "new"
    assert rows[0].cause
    assert "edited" in rows[0].cause.evidence


def test_without_a_baseline_only_what_fails_is_listed():
    rows, unchanged, *_ = changed_samples(
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


@pytest.mark.parametrize(
    ("limits", "value", "expected"),
    [
        ({"pass_at": 0.5}, 0.4, True),
        ({"minimum": 0.5}, 0.6, False),
        ({}, 0.0, True),
        ({}, 0.1, False),
        ({"level": "warn", "pass_at": 0.5}, 0.0, False),
    ],
)
def test_a_sample_fails_by_mark_or_limit_and_without_either_at_the_worst_value(
    limits: dict[str, Any], value: float, expected: bool
) -> None:
    rules = [Rule(metric="idf_f1", **limits)]

    assert fails([record(idf_f1=value)], rules, METRICS) is expected


def test_a_sample_without_an_output_fails():
    assert fails([record(error=Failure(kind="system", message="boom"))], [], {})
