"""The verdicts of noisy metrics: claims, confirmation, clusters, ragged runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.rules.unscored import most_lost
from ragate.models import MetricVerdict, Rule, Verdict
from tests.unit.core.decision_factories import judge, noisy_pair, row_of
from tests.unit.core.rules.noisy_factories import flips

RULE = Rule(metric="faithfulness")


def test_a_proven_drop_is_red_and_said_as_a_frequency():
    decision = judge(noisy_pair(*flips(100, 10)), RULE)
    row = row_of(decision, "faithfulness")

    assert decision.verdict is Verdict.FAILED
    assert row.verdict is MetricVerdict.REGRESSED
    assert decision.reasons == (
        (
            "faithfulness fell by 0.100 (1.000 -> 0.900); "
            "an unchanged system does this in about 1 run in 2,048"
        ),
    )
    assert row.p is not None
    assert row.p > 0
    assert row.interval is not None
    assert row.interval[0] < -0.1 < row.interval[1] < 0
    assert decision.confirmed
    assert decision.wants_runs == 0


def test_the_lines_give_the_effect_and_what_the_error_holds_for():
    decision = judge(noisy_pair(*flips(100, 10)), RULE)

    assert decision.lines == (
        (
            "with 100 samples and 3 baseline runs a drop of 5.1 points in faithfulness is missed "
            "in one of five runs"
        ),
        (
            "faithfulness is tested: at most 1 change in 50 that leaves the answers as they are, "
            "or words them otherwise without moving the metric on average, fails by chance"
        ),
    )


def test_enough_samples_hold():
    row = row_of(judge(noisy_pair(*flips(200, 1, 1)), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.HELD
    assert "a drop of 0.050 or more can be ruled out" in row.reason


def test_a_rise_is_an_improvement():
    row = row_of(judge(noisy_pair(*flips(100, 0, 12)), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.IMPROVED
    assert row.change == pytest.approx(0.12)
    assert row.better == 12


def test_it_is_judged_for_fresh_questions():
    decision = judge(noisy_pair(*flips(40, 5, 1)), RULE)

    assert decision.verdict is Verdict.PASSED
    row = row_of(decision, "faithfulness")
    assert row.verdict is MetricVerdict.WORSE_HERE
    assert "worse on these very samples; that new questions" in row.reason
    assert "tested is whether similar questions would get worse" in decision.lines[2]


def test_an_unscored_sample_never_softens_a_regression():
    scores = [[None]] + [[0.0]] * 9 + [[1.0]] * 90

    assert judge(noisy_pair([[1.0] * 3] * 100, scores), RULE).verdict is Verdict.FAILED


def test_the_same_state_gives_the_same_verdict():
    rng = np.random.default_rng(2)
    before, after = rng.integers(0, 2, (80, 3)), rng.integers(0, 2, (80, 1))

    assert judge(noisy_pair(before, after), RULE) == judge(noisy_pair(before, after), RULE)


cells = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=12, max_size=12)


@given(before=cells, after=cells)
def test_a_smaller_alpha_is_never_redder(before, after):
    pair = noisy_pair([[v] for v in before], [[v] for v in after])
    codes = [judge(pair, RULE, alpha=alpha).exit_code for alpha in (0.2, 0.05, 0.001)]

    red = [code == 1 for code in codes]
    assert red == sorted(red, reverse=True)


@given(before=cells, after=cells, row=st.integers(0, 11))
def test_a_worse_candidate_is_never_less_red(before, after, row):
    worse = list(after)
    worse[row] = 0.0
    first = judge(noisy_pair([[v] for v in before], [[v] for v in after]), RULE, alpha=0.1)
    second = judge(noisy_pair([[v] for v in before], [[v] for v in worse]), RULE, alpha=0.1)

    assert second.exit_code == 1 or first.exit_code != 1


@given(holes=st.lists(st.booleans(), min_size=20, max_size=20))
def test_what_was_not_measured_never_passes(holes):
    after = [[None if hole else 1.0] for hole in holes]
    comparison = noisy_pair([[1.0]] * 20, after)
    decision = judge(comparison, RULE)

    assert (decision.verdict is Verdict.PASSED) <= (sum(holes) <= most_lost(20, lost=0, runs=20))
