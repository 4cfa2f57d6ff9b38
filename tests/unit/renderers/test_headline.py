"""The sign of a report: what was not measured, or only shown, moved nothing."""

from __future__ import annotations

import pytest

from ragate.models import (
    FloorResult,
    MetricVerdict,
    Report,
    SliceRow,
    Verdict,
)
from ragate.renderers import markdown
from ragate.renderers._headline import ReportSign, headline, status_of
from ragate.renderers._words import verdict_text
from tests.factories import (
    SampleChange,
    decision_factory,
    metric_row_factory,
    report_factory,
    sample_row_factory,
)


@pytest.mark.parametrize(
    "verdict",
    [MetricVerdict.NOT_MEASURED, MetricVerdict.NOT_COMPARABLE, MetricVerdict.SHOWN],
)
def test_a_metric_that_nothing_ran_for_leaves_unchanged_unchanged(verdict: MetricVerdict) -> None:
    rows = [
        metric_row_factory(verdict=MetricVerdict.UNCHANGED),
        metric_row_factory("latency_p95", 1.0, None, verdict, level="warn", aggregate=True),
    ]

    assert status_of(report_factory(decision_factory(metrics=rows))) is ReportSign.UNCHANGED


def test_one_metric_that_moved_and_held_makes_it_held() -> None:
    rows = [
        metric_row_factory(verdict=MetricVerdict.UNCHANGED),
        metric_row_factory("token_f1", verdict=MetricVerdict.HELD),
    ]

    assert status_of(report_factory(decision_factory(metrics=rows))) is ReportSign.HELD


def of_slice(candidate: float) -> SliceRow:
    return SliceRow(
        slice="billing", metric="recall@5", level="error", n=20, samples=20, baseline=1.0,
        candidate=candidate, change=candidate - 1.0, mde=0.312, allowed=0.1,
        verdict=MetricVerdict.CANNOT_TELL,
    )  # fmt: skip


def test_a_fall_that_the_only_gating_slice_cannot_judge_wants_a_look() -> None:
    shown = metric_row_factory("recall@5", 1.0, 0.99, MetricVerdict.HELD, level="warn")
    report = report_factory(decision_factory(metrics=[shown], slices=(of_slice(0.85),)))

    assert status_of(report) is ReportSign.LOOK
    words = "".join(headline(report))
    assert "billing −15.0 points in recall@5, may be chance" in words
    assert "billing (20 questions): recall@5" in markdown.render(report)


def test_a_slice_that_did_not_fall_or_stands_beside_a_gated_metric_is_no_look() -> None:
    shown = metric_row_factory("recall@5", 1.0, 0.99, MetricVerdict.HELD, level="warn")
    gated = metric_row_factory(verdict=MetricVerdict.HELD)
    still = report_factory(decision_factory(metrics=[shown], slices=(of_slice(1.0),)))
    beside = report_factory(decision_factory(metrics=[gated], slices=(of_slice(0.85),)))

    assert status_of(still) is status_of(beside) is ReportSign.HELD
    assert "no drop in 1 gated slice" in "".join(headline(still))


def test_a_fall_beyond_what_is_allowed_reads_not_proven_and_never_held() -> None:
    fell = metric_row_factory("mrr", 0.9, 0.88, MetricVerdict.HELD, allowed=0.01)
    small = metric_row_factory("mrr", 0.9, 0.895, MetricVerdict.HELD, allowed=0.01)
    report = report_factory(decision_factory(metrics=[fell]))

    assert verdict_text(fell) == "not proven"
    assert verdict_text(small) == "unchanged"
    assert "no proven drop in 1 gated metric" in "".join(headline(report))
    assert "<p>No proven drop: mrr (−2.0).</p>" in markdown.render(report)


def test_a_long_reason_keeps_the_line_short() -> None:
    decision = decision_factory(
        Verdict.NO_DECISION, metrics=[metric_row_factory()], reasons=("why " * 200,)
    )

    words = headline(report_factory(decision, gate="a-gate-of-a-long-name" * 2))

    assert sum(map(len, words)) <= 106
    assert words[-1] == " · blocks the merge"


@pytest.mark.parametrize(
    ("better", "worse", "sign"), [(5, 2, ReportSign.BETTER), (2, 5, ReportSign.HELD)]
)
def test_what_improved_on_average_and_fell_on_more_questions_is_not_headed_better(
    better: int, worse: int, sign: ReportSign
) -> None:
    row = metric_row_factory("mrr", verdict=MetricVerdict.IMPROVED, better=better, worse=worse)

    assert status_of(report_factory(decision_factory(metrics=[row]))) is sign


def words_of(report: Report) -> str:
    return "".join(headline(report))


@pytest.mark.parametrize(
    ("exact", "better", "told"), [(True, 7, True), (True, 48, False), (False, 7, False)]
)
def test_many_falls_that_are_allowed_are_told_where_nothing_of_it_varies(
    exact: bool, better: int, told: bool
) -> None:
    fell = metric_row_factory(
        "idf_f1", 0.5, 0.492, worse=51, better=better, n=200, exact=exact, provisional=True
    )

    unsure = metric_row_factory("recall@5", verdict=MetricVerdict.CANNOT_TELL)
    report = report_factory(decision_factory(metrics=[fell, unsure]))

    assert ("idf_f1 −0.8 points, within what is allowed" in words_of(report)) is told


@pytest.mark.parametrize("exact", [True, False])
def test_questions_are_counted_beside_what_is_not_proven_where_nothing_varies(exact: bool) -> None:
    fall = metric_row_factory(
        "idf_f1", 0.2, 0.19, MetricVerdict.CANNOT_TELL, p=0.3, mde=0.08, exact=exact
    )
    changes: tuple[SampleChange, ...] = ("better", "better", "worse")
    rows = [sample_row_factory(f"q{place}", change=each) for place, each in enumerate(changes)]
    report = report_factory(decision_factory(metrics=[fall]), samples=rows)

    assert ("2 questions better, 1 worse" in words_of(report)) is exact
    assert "idf_f1 −1.0 points, may be chance" in words_of(report)


def test_of_a_floor_that_is_missed_the_cell_says_nothing_but_that() -> None:
    floor = FloorResult(limit=0.93, kind="point", met=False)
    row = metric_row_factory("recall@5", 0.95, 0.92, MetricVerdict.WORSE_HERE, floor=floor)

    assert verdict_text(row) == "below the 93.0 % demanded"
