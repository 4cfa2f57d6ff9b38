"""How often questions that must pass fail an unchanged system."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragate.core.statistics.must_pass_odds import Steadiness, steadiness


@pytest.mark.parametrize("step", [(3, 3), (3, 2), (12, 9)])
@pytest.mark.parametrize(("a", "b", "runs"), [(46.5, 2.5, 3), (3.0, 0.2, 2)])
def test_tries_fail_as_a_beta_binomial_says(step: tuple[int, int], a: float, b: float, runs: int):
    law = stats.betabinom(step[0], b, a + runs)

    assert Steadiness(a, b, runs).fails(*step) == pytest.approx(law.sf(step[1] - 1))


def test_questions_that_always_fail_or_always_pass_are_unlike_those_that_all_flip():
    flips = np.tile([[True, False, True], [True, True, False], [False, True, True]], (10, 1))
    apart = np.repeat([[True] * 3, [True] * 3, [False] * 3], 10, axis=0)
    shaky, steady = steadiness(flips), steadiness(apart)

    assert shaky is not None
    assert steady is not None
    assert shaky.fails(3, 2) > 10 * steady.fails(3, 2)


def test_one_run_tells_nothing():
    assert steadiness(np.ones((20, 1), dtype=bool)) is None
    assert steadiness(np.ones((0, 3), dtype=bool)) is None
