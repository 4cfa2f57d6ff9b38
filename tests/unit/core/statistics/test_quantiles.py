"""Quantiles and tails, against SciPy and printed tables."""

from __future__ import annotations

import pytest
from scipy import stats

from ragate.core.statistics.quantiles import (
    bivariate_tail,
    incomplete_beta,
    normal_quantile,
    normal_tail,
    t_quantile,
)


@pytest.mark.parametrize("df", [1, 2, 3, 7, 30, 199, 5000])
@pytest.mark.parametrize("p", [0.0005, 0.01, 0.025, 0.3, 0.5, 0.8, 0.95, 0.9995])
def test_students_quantiles_equal_scipys(p, df):
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [1, 5, 40, 1000])
@pytest.mark.parametrize("p", [0.001, 0.1, 0.5, 0.97])
def test_the_incomplete_beta_function_is_scipys_binomial_tail(n, p):
    for m in range(1, n + 1, max(1, n // 9)):
        tail = stats.binom.sf(m - 1, n, p)

        assert incomplete_beta(m, n - m + 1, p) == pytest.approx(tail, abs=1e-12)


def test_the_incomplete_beta_function_is_0_and_1_beyond_its_ends():
    assert [incomplete_beta(2.0, 3.0, x) for x in (-0.5, 0.0, 1.0, 1.5)] == [0.0, 0.0, 1.0, 1.0]


def test_normal_quantiles_and_tails_are_those_of_the_tables():
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
    assert normal_tail(1.959964) == pytest.approx(0.025, abs=1e-8)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.58, 0.71, 0.9, 0.99, 0.9999])
def test_tails_of_two_normals_equal_scipys(correlation):
    covariance = [[1.0, correlation], [correlation, 1.0]]
    for x in (-5.0, -1.3, 0.0, 0.84, 2.9):
        for y in (-4.0, -0.2, 1.1, 2.4):
            theirs = stats.multivariate_normal.cdf([-x, -y], cov=covariance)
            assert bivariate_tail(x, y, correlation) == pytest.approx(theirs, abs=1e-7)


def test_tails_of_two_normals_have_their_limits():
    assert bivariate_tail(-1e9, 0.5, 0.6) == pytest.approx(normal_tail(0.5))
    assert bivariate_tail(1e9, -1e9, 0.6) == pytest.approx(0.0, abs=1e-12)
