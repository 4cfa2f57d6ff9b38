"""What can be said of one noisy metric, at and beside each limit."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.models import MetricVerdict, Rule, Verdict
from tests.unit.core.decision_factories import (
    judge,
    noisy_pair,
    row_of,
)
from tests.unit.core.rules.noisy_factories import flips

RULE = Rule(metric="faithfulness")


def test_one_run_a_side_can_show_an_improvement():
    before = np.ones((30, 1))
    before[:8] = 0.0
    row = row_of(judge(noisy_pair(before, np.ones((30, 1))), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.IMPROVED


def test_a_proven_drop_below_the_smallest_that_counts_is_yellow():
    before, after = flips(1000, 8)
    decision = judge(noisy_pair(before, after), RULE)
    row = row_of(decision, "faithfulness")

    assert row.verdict is MetricVerdict.WORSE_HERE
    assert decision.verdict is Verdict.PASSED
    assert "proven, but smaller than 0.010, from where on it counts" in row.reason
    assert decision.warnings[0] == row.reason


def test_p_equal_to_alpha_is_red_or_improved():
    edge = 0.5 * 2**-5  # five of five signs, of which a tie counts half
    fell = judge(noisy_pair(*flips(40, 5, cand=1)), RULE, alpha=edge)
    rose = judge(noisy_pair(*flips(40, 0, 5, cand=1)), RULE, alpha=edge)

    assert row_of(fell, "faithfulness").verdict is MetricVerdict.REGRESSED
    assert row_of(rose, "faithfulness").verdict is MetricVerdict.IMPROVED
    assert judge(noisy_pair(*flips(40, 5, cand=1)), RULE, alpha=edge * 0.99).exit_code == 0


def test_a_drop_equal_to_the_smallest_that_counts_is_red():
    at = judge(noisy_pair(*flips(100, 5)), RULE.amended(max_drop=0.05))
    above = judge(noisy_pair(*flips(100, 5)), RULE.amended(max_drop=0.0501))

    assert row_of(at, "faithfulness").verdict is MetricVerdict.REGRESSED
    assert row_of(above, "faithfulness").verdict is MetricVerdict.WORSE_HERE


def test_a_large_drop_without_evidence_is_not_yellow():
    row = row_of(judge(noisy_pair(*flips(40, 2, cand=1)), RULE), "faithfulness")

    assert row.change == pytest.approx(-0.05)
    assert row.p_here == pytest.approx(0.0625)
    assert row.verdict is MetricVerdict.CANNOT_TELL


def test_nothing_is_held_by_samples_too_few_to_show_a_break():
    few = judge(noisy_pair(np.ones((70, 3)), np.ones((70, 1))), RULE)
    enough = judge(noisy_pair(np.ones((77, 3)), np.ones((77, 1))), RULE)

    assert row_of(few, "faithfulness").verdict is MetricVerdict.CANNOT_TELL
    assert row_of(enough, "faithfulness").verdict is MetricVerdict.HELD


def test_worse_on_these_questions_counts_at_one_in_twenty_exactly():
    one_lost = judge(noisy_pair(*flips(40, 1), fingerprint="other"), RULE)
    row = row_of(one_lost, "faithfulness")

    assert row.p_here == pytest.approx(0.05, abs=1e-15)
    assert row.verdict is MetricVerdict.WORSE_HERE


def test_the_yellow_sentence_names_the_limit_that_was_not_reached():
    small = judge(noisy_pair(*flips(40, 6, cand=1)), RULE.amended(max_drop=0.2))

    assert "smaller than 0.200, from where on it counts" in row_of(small, "faithfulness").reason


def reworded(fall: float):
    """Three steady baseline runs, and one in which every answer is worded otherwise."""
    rng = np.random.default_rng(2)
    before = 0.5 + 0.01 * rng.standard_normal((300, 3))
    moved = 0.12 * rng.standard_normal(300)
    return before, (before.mean(axis=1) + moved - moved.mean() - fall)[:, None]


def test_a_fall_of_the_size_that_the_set_is_said_to_see_is_never_called_held():
    pair = noisy_pair(*reworded(0.0125), fingerprint="other")
    decision = judge(pair, RULE)
    row = row_of(decision, "faithfulness")

    assert row.p is not None
    assert 0.02 < row.p <= 0.2
    assert row.verdict is MetricVerdict.CANNOT_TELL
    assert row.is_large_fall
    assert decision.verdict is Verdict.PASSED
    assert decision.warnings[0] == row.reason
    assert "CANNOT TELL: an unchanged system does this in about 1 run in" in row.reason
    assert "questions would show a fall of this size" in row.reason
    assert row.mde is not None
    assert row.mde > 0.0125  # what this very change hides is more


def test_a_smaller_fall_and_one_that_luck_explains_stay_quiet():
    small = row_of(judge(noisy_pair(*reworded(0.005), fingerprint="other"), RULE), "faithfulness")
    shown = Rule(metric="faithfulness", level="warn")
    ungated = row_of(
        judge(noisy_pair(*reworded(0.0125), fingerprint="other"), shown), "faithfulness"
    )

    assert (small.verdict, small.is_large_fall) == (MetricVerdict.HELD, False)
    assert not ungated.is_large_fall


def test_few_losses_by_luck_do_not_rule_out_what_care_names():
    """Two of 100 lost: with the spread of a true drop of five points that many are not rare."""
    lost = np.ones((100, 1))
    lost[:2] = 0.0

    assert row_of(judge(noisy_pair(np.ones((100, 3)), lost), RULE), "faithfulness").verdict is (
        MetricVerdict.CANNOT_TELL
    )
    assert (
        row_of(
            judge(noisy_pair(np.ones((400, 3)), np.vstack([lost, np.ones((300, 1))])), RULE),
            "faithfulness",
        ).verdict
        is MetricVerdict.HELD
    )


@pytest.mark.parametrize("n", [4, 5])
def test_on_a_set_that_sees_no_drop_two_lost_samples_are_a_fall_that_may_be_real(n: int):
    lost, one = (
        row_of(judge(noisy_pair(*flips(n, count, base=1, cand=1)), RULE), "faithfulness")
        for count in (2, 1)
    )

    assert lost.mde in {None, 1.0}
    assert lost.is_large_fall
    assert "questions would show a fall of this size" in lost.reason
    assert not one.is_large_fall  # luck does that in one run of four
