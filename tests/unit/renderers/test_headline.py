"""The sign of a report: what was not measured, or only shown, moved nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ragate.models import (
    Direction,
    FloorResult,
    MetricRow,
    MetricVerdict,
    MustPassRow,
    Report,
    SliceRow,
    Story,
    Verdict,
)
from ragate.renderers import console, markdown
from ragate.renderers._headline import ReportSign, headline, status_of
from ragate.renderers._next_steps import next_words
from ragate.renderers._words import verdict_text
from tests.factories import (
    SampleChange,
    decision_factory,
    metric_row_factory,
    report_factory,
    sample_row_factory,
)
from tests.unit.renderers.cases import CASES


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


def test_samples_that_are_compared_with_nothing_are_not_said_to_be_unchanged() -> None:
    report = report_factory(
        decision_factory(metrics=[metric_row_factory(verdict=MetricVerdict.UNCHANGED)])
    )
    data = report.data.amended(
        matched=10, added=tuple(f"q{number}" for number in range(30)), edited=("q7", "q8")
    )
    report = report.amended(data=data, facts=report.facts.amended(samples=40, affected=None))

    words = "".join(headline(report))
    assert words.endswith(
        "no score of the 10 compared questions moved; 28 new and 2 edited in the golden set"
    )


def test_one_metric_that_moved_and_held_makes_it_held() -> None:
    rows = [
        metric_row_factory(verdict=MetricVerdict.UNCHANGED),
        metric_row_factory("token_f1", verdict=MetricVerdict.HELD),
    ]

    assert status_of(report_factory(decision_factory(metrics=rows))) is ReportSign.HELD


def test_a_rise_that_is_not_proven_is_named_and_not_said_to_be_a_drop_that_cannot_show() -> None:
    rise = metric_row_factory(
        "prompt_tokens", 500.0, 620.0, MetricVerdict.CANNOT_TELL, unit="tokens", limit=50.0,
        direction=Direction.LOWER,
    )  # fmt: skip
    slow = metric_row_factory(
        "latency_p95", 1.0, 1.4, MetricVerdict.CANNOT_TELL, unit="seconds", aggregate=True,
        direction=Direction.LOWER,
    )  # fmt: skip
    blind = metric_row_factory("token_f1", verdict=MetricVerdict.CANNOT_TELL, p=0.4, mde=0.1)

    def words(*rows: MetricRow) -> str:
        return "".join(headline(report_factory(decision_factory(metrics=list(rows)))))

    alone, beside = words(rise, slow), words(blind, rise)
    assert "more than is allowed, not proven: prompt_tokens +120 and 1 more · does" in alone
    assert "regression" not in alone
    assert "more than is allowed, not proven: prompt_tokens +120" in beside


def test_a_must_pass_sample_that_failed_in_the_baseline_too_is_not_named_as_what_blocks() -> None:
    rows = [
        MustPassRow(
            sample_id=key,
            eligible=eligible,
            metric="mrr",
            pass_at=1.0,
            tries=3,
            failed=2,
            met=False,
        )
        for key, eligible in (("broken", True), ("as-ever", False))
    ]
    report = report_factory(decision_factory(Verdict.FAILED, metrics=[], must_pass=tuple(rows)))

    words = "".join(headline(report))
    assert "broken" in words
    assert "as-ever" not in words


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


@pytest.mark.parametrize("case", ["regression", "cannot_tell", "not_comparable", "bootstrap"])
def test_every_headline_that_asks_for_something_has_one_line_that_says_what(case: str) -> None:
    report = CASES[case]()

    assert markdown.render(report).count("<b>Next:</b>") == 1
    assert len(re.findall(r"(?m)^ +Next: ", console.render(report))) == 1


def test_a_count_says_of_which_metric_it_is_and_which_way_it_went() -> None:
    fell = metric_row_factory(
        "mrr", 0.5, 0.4, MetricVerdict.REGRESSED, worse=17, better=4, blocks=True
    )
    slower = metric_row_factory(
        "latency", 1.0, 2.0, MetricVerdict.REGRESSED, worse=9, better=1, blocks=True,
        unit="seconds", direction=Direction.LOWER,
    )  # fmt: skip

    def words(row: MetricRow) -> str:
        decision = decision_factory(Verdict.FAILED, metrics=[row])
        return "".join(headline(report_factory(decision, gate="docs")))

    assert words(fell).endswith(
        "mrr −10.0 points (fell on 17 questions, rose on 4) · blocks the merge"
    )
    assert "(rose on 9 questions, fell on 1)" in words(slower)


def test_no_decision_without_a_row_to_blame_says_its_first_reason() -> None:
    decision = decision_factory(
        Verdict.NO_DECISION, metrics=[metric_row_factory()], reasons=("the cap was met", "another")
    )

    line = "".join(headline(report_factory(decision, gate="docs")))

    assert line == "docs: no decision: the cap was met · blocks the merge"


def test_a_long_reason_keeps_the_line_short() -> None:
    decision = decision_factory(
        Verdict.NO_DECISION, metrics=[metric_row_factory()], reasons=("why " * 200,)
    )

    words = headline(report_factory(decision, gate="a-gate-of-a-long-name" * 2))

    assert sum(map(len, words)) <= 106
    assert words[-1] == " · blocks the merge"


def test_a_large_fall_that_may_be_luck_heads_the_report() -> None:
    fall = metric_row_factory(
        "faithfulness", 0.91, 0.86, MetricVerdict.CANNOT_TELL, p=0.125, mde=0.08,
        is_large_fall=True,
    )  # fmt: skip
    report = report_factory(decision_factory(metrics=[fall]))

    assert "".join(headline(report)).endswith(
        "faithfulness −5.0 points, may be chance · does not block the merge"
    )
    assert "this may be a real drop" in "".join(next_words(report))


@pytest.mark.parametrize(
    ("verdict", "after", "said"),
    [
        (MetricVerdict.WORSE_HERE, 0.86, "this may be a real drop; read the metrics below."),
        (MetricVerdict.CANNOT_TELL, 0.86, "look at the metrics below."),
        (MetricVerdict.CANNOT_TELL, 0.89, "nothing has to be done; look at the metrics below."),
        (MetricVerdict.CANNOT_TELL, 0.93, "nothing has to be done; look at the metrics below."),
    ],
)
def test_something_has_to_be_done_only_where_a_gated_metric_is_shown_to_have_fallen(
    verdict: MetricVerdict, after: float, said: str
) -> None:
    interval = (after - 0.94, after - 0.88)
    row = metric_row_factory("faithfulness", 0.91, after, verdict, p=0.3, mde=0.08)

    row = row.amended(interval=interval)
    words = next_words(report_factory(decision_factory(metrics=[row])))

    assert "".join(words) == said


@pytest.mark.parametrize(
    ("better", "worse", "sign"), [(5, 2, ReportSign.BETTER), (2, 5, ReportSign.HELD)]
)
def test_what_improved_on_average_and_fell_on_more_questions_is_not_headed_better(
    better: int, worse: int, sign: ReportSign
) -> None:
    row = metric_row_factory("mrr", verdict=MetricVerdict.IMPROVED, better=better, worse=worse)

    assert status_of(report_factory(decision_factory(metrics=[row]))) is sign


def story_factory(**counts: Any) -> Story:
    return Story(**{"worse": 20, "told": 20, **counts})


def words_of(report: Report) -> str:
    return "".join(headline(report))


def red(*rows: MetricRow, story: Story | None = None, **fields: Any) -> Report:
    decision = decision_factory(Verdict.FAILED, metrics=list(rows), **fields)
    report = report_factory(decision, gate="docs")
    return report.amended(story=story or Story(), facts=report.facts.amended(samples=20))


def regressed(name: str, change: float, **fields: Any) -> MetricRow:
    return metric_row_factory(
        name, 0.9, 0.9 + change, MetricVerdict.REGRESSED, blocks=True, n=20, **fields
    )


def test_refusals_head_a_report_whatever_metric_saw_them() -> None:
    report = red(
        regressed("polarity", -0.5, worse=20), regressed("recall@5", -0.1, worse=2),
        story=story_factory(refused=20, lost=8),
    )  # fmt: skip

    assert words_of(report).startswith("docs: all 20 answers now say “I don't know”; ")
    assert "8 questions lost their document" in words_of(report)


def test_documents_that_were_lost_stand_before_metrics() -> None:
    report = red(regressed("idf_f1", -0.3, worse=9), story=story_factory(worse=9, told=9, lost=4))

    assert words_of(report).startswith("docs: 4 questions lost their document; idf_f1 −30.0 points")


def test_one_refusal_among_many_other_falls_heads_nothing() -> None:
    report = red(regressed("idf_f1", -0.3, worse=20), story=story_factory(refused=1, lost=1))

    assert words_of(report).startswith("docs: idf_f1 −30.0 points (fell on 20 questions)")


def test_what_did_not_run_stands_before_all_else() -> None:
    failed = "20 of 20 questions failed: RuntimeError: boom (rag.py:12)"
    report = red(
        regressed("recall@5", -0.9, worse=20), story=story_factory(refused=20), failed=failed
    )

    assert words_of(report).startswith(f"docs: {failed}")


def test_a_count_of_what_could_be_checked_heads_nothing_beside_a_metric() -> None:
    count = regressed("number_unit_support", -0.15, worse=3)
    silent = metric_row_factory("number_unit_support", n=20, blocks=True, checked=count)

    assert "nothing left to check in 3 of 20 answers" in words_of(red(silent))
    beside = words_of(red(silent, regressed("recall@5", -0.05, worse=1)))
    assert beside.startswith("docs: recall@5 −5.0 points")
    assert "checked" not in beside


def test_a_fall_on_many_questions_that_gates_nothing_is_told_with_what_would_gate_it() -> None:
    fell = metric_row_factory(
        "idf_f1", 1.0, 0.5, MetricVerdict.REGRESSED, level="warn", worse=20, n=20
    )
    report = report_factory(decision_factory(metrics=[metric_row_factory(), fell]))

    assert "idf_f1 −50.0 points and" not in words_of(report)
    assert "idf_f1 −50.0 points (fell on 20 questions) (warning only)" in words_of(report)
    step = "".join(next_words(report))
    assert "idf_f1 fell on 20 of 20 questions, and does not gate" in step
    assert '[policy.metrics."idf_f1"] level = "error" would' in step
    assert "nothing has to be done" not in step


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
