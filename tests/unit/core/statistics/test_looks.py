"""The two looks at a candidate share alpha."""

import numpy as np
import pytest

from ragate.core.statistics.fewest_losses import losses_to_fail
from ragate.core.statistics.looks import SUSPICIOUS, Stages, confirmed_level, fast_level
from ragate.core.statistics.permutation import Block, flip, relabel, step_down
from ragate.models import MetricVerdict, Rule, Verdict
from tests.unit.core.decision_factories import judge, noisy_pair, row_of

RULE = Rule(metric="faithfulness")


def lost(broken: int, *, passes: int, n: int = 60):
    """Three baseline passes that all hold, and a candidate that loses `broken` of `n` samples."""
    after = np.ones((n, passes))
    after[:broken] = 0.0
    return np.ones((n, 3)), after


@pytest.mark.parametrize("alpha", [0.01, 0.02, 0.05])
def test_both_looks_together_stay_within_alpha(alpha):
    assert fast_level(alpha) + confirmed_level(alpha) == pytest.approx(alpha)


def test_the_default_levels_are_4_and_16_in_a_thousand():
    assert fast_level(0.02) == pytest.approx(0.004)
    assert confirmed_level(0.02) == pytest.approx(0.016)


def test_a_pass_that_cannot_be_confirmed_has_the_whole_of_alpha():
    assert Stages(0.02).level(1) == 0.02
    assert Stages(0.02).still_wanted(1) == 0


@pytest.mark.parametrize(("passes", "level", "wanted"), [(1, 0.004, 2), (2, 0.004, 1)])
def test_before_all_passes_are_there_only_a_clear_drop_counts(passes, level, wanted):
    stages = Stages(0.02, confirm=2)

    assert stages.level(passes) == pytest.approx(level)
    assert stages.still_wanted(passes) == wanted


@pytest.mark.parametrize("passes", [3, 4])
def test_with_all_passes_the_rest_of_alpha_is_left(passes):
    stages = Stages(0.02, confirm=2)

    assert stages.level(passes) == pytest.approx(0.016)
    assert stages.still_wanted(passes) == 0


def test_a_clear_first_look_is_red_and_asks_for_no_confirmation():
    decision = judge(noisy_pair(*lost(6, passes=1), confirm=2), RULE)  # p is 4 ** -6

    assert decision.verdict is Verdict.FAILED
    assert decision.wants_runs == 0
    assert not decision.confirmed
    said = "not repeated, since it is clear: an unchanged system looks like this in at most 1 run"
    assert [line for line in decision.lines if line.startswith(said)] == [f"{said} of 250"]


def test_a_first_look_below_alpha_and_not_clear_is_not_red_yet():
    decision = judge(noisy_pair(*lost(3, passes=1), confirm=2), RULE)  # p is 4 ** -3 = 0.016

    assert row_of(decision, "faithfulness").p == pytest.approx(0.0156, abs=1e-3)
    assert decision.verdict is Verdict.PASSED
    assert decision.wants_runs == 2


def test_what_cannot_be_confirmed_is_red_at_alpha():
    decision = judge(noisy_pair(*lost(3, passes=1), confirm=0), RULE)

    assert decision.verdict is Verdict.FAILED


@pytest.mark.parametrize(("alpha", "red"), [(0.0098, True), (0.0096, False)])
def test_the_second_look_has_the_rest_of_alpha(alpha, red):
    # Sign flips of six losses: p is half of 0.5 ** 6, just below 0.8 of the first alpha.
    decision = judge(
        noisy_pair(*lost(6, passes=3, n=200), confirm=2),
        RULE,
        claim="generalise",
        alpha=alpha,
    )
    p = row_of(decision, "faithfulness").p

    assert p == pytest.approx(0.5**7)
    assert (decision.verdict is Verdict.FAILED) is red


def test_a_clear_drop_below_the_smallest_that_counts_is_confirmed_all_the_same():
    decision = judge(noisy_pair(*lost(6, passes=1, n=600), confirm=2), RULE)

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.WORSE_HERE
    assert decision.wants_runs == 2


@pytest.mark.parametrize(("passes", "fewest"), [(1, 2), (3, 2)])
def test_a_set_that_only_a_confirmation_can_fail_is_not_called_too_small(passes, fewest):
    stages = Stages(0.02, confirm=2)

    losses = losses_to_fail(
        stages, passes, metrics=1, baseline_runs=3, candidate_runs=passes, flips=False
    )

    assert losses == fewest  # 20 ** -2 with all passes, after 4 ** -2 = 0.06 in the first look


def test_without_a_confirmation_one_look_decides_how_many_must_break():
    losses = losses_to_fail(
        Stages(0.02), 1, metrics=1, baseline_runs=3, candidate_runs=1, flips=False
    )

    assert losses == 3


@pytest.mark.parametrize("flips", [False, True])
def test_an_unchanged_system_is_red_in_either_look_at_most_alpha_of_the_time(flips):
    alpha, draws, red = 0.2, 400, 0
    stages, rng = Stages(alpha, confirm=2), np.random.default_rng(5)
    for number in range(draws):
        chances = rng.beta(4, 1, size=(40, 1, 1))
        runs = (rng.random((40, 6, 1)) < chances).astype(float)
        p = [p_of(runs[:, : 3 + k], k, seed=number, flips=flips) for k in (1, 3)]
        red += p[0] <= stages.level(1) or (p[0] <= SUSPICIOUS and p[1] <= stages.level(3))

    assert red / draws <= alpha + 2 * (alpha * (1 - alpha) / draws) ** 0.5


def p_of(runs, k: int, *, seed: int, flips: bool) -> float:
    block = Block(runs, k)
    if flips:
        return float(step_down(flip(block.differences, seed=seed, draws=199))[0])
    return float(step_down(relabel([block], seed=seed, draws=199))[0])
