"""The two looks at a candidate share alpha."""

import numpy as np
import pytest

from ragate.core.statistics.looks import SUSPICIOUS, Stages, confirmed_level, fast_level
from ragate.core.statistics.permutation import Block, flip, relabel, step_down


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
