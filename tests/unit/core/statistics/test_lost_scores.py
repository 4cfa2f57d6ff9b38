"""How many samples a candidate may lose by bad luck."""

from __future__ import annotations

import pytest
from scipy import stats

from ragate.core.statistics.lost_scores import QUANTILE, most_lost


@pytest.mark.parametrize("n", [1, 20, 200, 2_000])
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.04, 1.0])
def test_the_bound_is_that_of_a_beta_binomial_distribution(n: int, passes: int, share: float):
    runs = n * passes
    lost = round(share * runs)
    law = stats.betabinom(n, lost + 0.5, runs - lost + 0.5)

    assert most_lost(n, lost=lost, runs=runs) == law.ppf(QUANTILE)
