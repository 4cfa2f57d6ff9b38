"""Passes of earlier runs of one commit: they may confirm the newest run, and never soften it."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.core.comparison.compare import compare
from ragate.core.comparison.run_passes import deciding_run
from ragate.core.decision.decide import decide
from ragate.models import DecisionSettings, MetricVerdict, Rule, Verdict
from tests.unit.core.decision.pooling_factories import (
    GOOD,
    LOST,
    WORSE,
    N,
    candidate,
    confirmed,
    earlier_of,
    judged,
    passes,
    runs_of,
)
from tests.unit.core.decision_factories import EXACT, TODAY, row_of, run_of, samples_of

SLIGHTLY = range(3)  # three lost: suspicious alone with one pass, and not clear


def test_good_passes_of_yesterday_do_not_hide_what_is_broken_today():
    scores = passes(GOOD, GOOD, GOOD, range(12))

    alone = judged(candidate(scores, earlier=3))
    pooled = judged(candidate(scores, earlier=3, same_state=True))

    assert alone.verdict is Verdict.FAILED
    assert row_of(alone, "faithfulness").candidate == pytest.approx(0.88)
    assert row_of(pooled, "faithfulness").candidate == pytest.approx(0.97)


def test_bad_passes_of_yesterday_do_not_stay_once_the_state_is_repaired():
    decision = judged(candidate(passes(range(12), range(12), GOOD), earlier=2))

    assert decision.verdict is Verdict.PASSED
    assert earlier_of(decision).use == "shown"
    assert row_of(decision, "faithfulness").candidate == 1.0


def test_four_losses_are_suspicious_and_alone_not_red():
    decision = confirmed()

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "faithfulness").p == pytest.approx(1 / 32)


def test_a_suspicious_run_that_its_earlier_passes_bear_out_is_red():
    decision = confirmed(*WORSE)

    assert (decision.verdict, decision.exit_code) == (Verdict.FAILED, 1)
    assert earlier_of(decision).use == "confirm"
    assert earlier_of(decision).metrics[0].p == pytest.approx(1 / 128)
    row = row_of(decision, "faithfulness")
    assert row.blocks
    assert row.verdict is MetricVerdict.REGRESSED
    assert decision.reasons == (row.reason,)
    assert row.reason == (
        "faithfulness fell by 0.108 (1.000 -> 0.892); an unchanged system does this in about "
        "1 run in 128; over all passes with those of 3 runs of this commit (2026-11-20 09:14, "
        "2026-11-21 09:14, 2026-11-22 09:14 UTC; 3 passes); the newest alone: in about 1 run in 32"
    )


def test_a_run_that_is_red_by_its_earlier_passes_does_not_say_how_hardly_it_can_fail():
    scores = passes(*WORSE, LOST, LOST, LOST, n=30)

    alone = judged(candidate(scores[:, 3:], earlier=0), n=30)
    together = judged(candidate(scores, earlier=3), n=30)

    assert any("must get worse" in said for said in alone.warnings)
    assert together.verdict is Verdict.FAILED
    assert not any("must get worse" in said for said in together.warnings)


def test_a_suspicious_run_that_differs_from_its_earlier_passes_is_judged_without_them():
    decision = confirmed(GOOD, GOOD, GOOD)

    assert decision.verdict is Verdict.PASSED
    assert earlier_of(decision).use == "differ"
    assert earlier_of(decision).p_differ == pytest.approx(0.0, abs=0.001)


def test_a_suspicious_run_that_all_passes_together_do_not_prove_is_not_red():
    decision = confirmed(LOST, LOST, LOST)

    assert decision.verdict is Verdict.PASSED
    assert earlier_of(decision).use == "agree"


def test_passes_are_not_weighed_before_the_newest_run_is_whole():
    run = candidate(passes(SLIGHTLY, SLIGHTLY, SLIGHTLY), earlier=2)

    decision = judged(run)

    assert decision.wants_runs == 2
    assert earlier_of(decision).use == "shown"


def test_a_run_that_is_not_suspicious_is_never_red_whatever_went_before():
    run = candidate(passes(*(range(12) for _ in range(8)), range(1)), earlier=8)

    decision = judged(run)

    assert decision.verdict is Verdict.PASSED
    assert decision.exit_code == 0


def test_where_the_state_is_the_same_every_pass_counts():
    decision = judged(candidate(passes(range(12), range(12), GOOD), earlier=2, same_state=True))

    assert decision.verdict is Verdict.FAILED
    assert decision.runs_candidate == 3
    assert earlier_of(decision).use == "counted"
    (figure,) = earlier_of(decision).metrics
    assert (figure.newest, figure.earlier) == pytest.approx((1.0, 0.88))


def test_a_floor_holds_the_newest_run_alone():
    rule = Rule(metric="faithfulness", minimum=0.95)
    decision = judged(candidate(passes(GOOD, GOOD, GOOD, range(6)), earlier=3), rule)

    floor = row_of(decision, "faithfulness").floor
    assert floor is not None
    assert not floor.met


def test_a_metric_without_noise_judges_the_newest_run_alone():
    samples = samples_of(N)
    both: dict[str, Any] = {"infos": (EXACT,), "same_outputs": True}
    before = run_of({EXACT.name: [[1.0, 1.0]] * N}, samples, **both)
    lost = [[1.0, 1.0, 0.0 if row < 5 else 1.0] for row in range(N)]
    run = run_of({EXACT.name: lost}, samples, earlier=runs_of(2), **both)
    comparison = compare(before, deciding_run(run), samples)

    decision = decide([Rule(metric=EXACT.name)], comparison, DecisionSettings(), today=TODAY)

    row = row_of(decision, EXACT.name)
    assert row.exact
    assert row.verdict is MetricVerdict.REGRESSED
    assert row.change == pytest.approx(-0.05)


def test_what_differs_from_its_earlier_passes_is_said_with_their_dates_and_figures():
    earlier = earlier_of(judged(candidate(passes(GOOD, GOOD, GOOD, range(12)), earlier=3)))

    assert earlier.use == "differ"
    assert earlier.p_differ is not None
    assert earlier.p_differ <= 0.2
    assert "2026-11-20 09:14, 2026-11-21 09:14, 2026-11-22 09:14 UTC; 3 passes" in earlier.note
    assert "what it reads outside git may have changed" in earlier.note
    (figure,) = earlier.metrics
    assert (figure.newest, figure.earlier, figure.pooled) == pytest.approx((0.88, 1.0, 0.97))
    assert figure.p is None


def test_what_all_passes_prove_is_not_said_to_be_without_evidence():
    alone, together = confirmed(), confirmed(*WORSE)

    assert alone.lines[0].startswith("no evidence of regression")
    assert not any("no evidence of regression" in line for line in together.lines)
    assert together.remedies == ()


def test_a_later_green_is_said_to_be_a_new_draw():
    run = candidate(passes(range(12), GOOD), earlier=1)
    failed = run.manifest.amended(earlier=runs_of(1, failed=True))

    decision, again = judged(run), judged(run.amended(manifest=failed))

    assert not any("of new answers" in line for line in decision.warnings)
    assert again.verdict is Verdict.PASSED
    assert again.warnings[0] == (
        "1 earlier run of this commit failed (2026-11-20 09:14 UTC): this verdict is of new "
        "answers, from a system that may have changed"
    )
