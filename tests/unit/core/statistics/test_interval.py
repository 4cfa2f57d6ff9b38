"""Intervals and quantiles, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragate.core.statistics.interval import difference_interval, failing_mean, mean_bound, tango
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


@pytest.mark.parametrize(("worse", "better", "n"), [(7, 2, 50), (0, 0, 5), (5, 0, 5), (0, 5, 5)])
def test_tangos_interval_equals_the_reference(reference, worse, better, n):
    low, high = tango(worse, better, n).two_sided()

    assert (low, high) == pytest.approx(reference.tango_interval(worse, better, n, 0.95), abs=1e-6)


def test_the_incomplete_beta_function_is_0_and_1_beyond_its_ends():
    assert [incomplete_beta(2.0, 3.0, x) for x in (-0.5, 0.0, 1.0, 1.5)] == [0.0, 0.0, 1.0, 1.0]


def test_the_bootstrap_interval_is_never_narrower_than_students_t():
    for seed in range(5):
        values = np.random.default_rng(seed).exponential(0.2, 30) - 0.25
        low, high = difference_interval(values, seed=seed, paired_binary=False).two_sided()
        student = stats.t.interval(0.95, 29, values.mean(), stats.sem(values))
        assert low <= student[0] + 1e-9
        assert high >= student[1] - 1e-9


def test_the_bootstrap_interval_covers_the_mean_of_a_skewed_score():
    rng = np.random.default_rng(1)
    covered = 0
    for seed in range(200):
        values = -(rng.random(60) < 0.05).astype(float)
        low, high = difference_interval(values, seed=seed, paired_binary=False).two_sided()
        covered += low <= -0.05 <= high
    assert covered >= 184


def test_equal_differences_have_the_width_of_what_was_never_seen():
    low, high = difference_interval(np.zeros(60), seed=1, paired_binary=False).two_sided()

    assert high == pytest.approx(1 - 0.05 ** (1 / 60))
    assert low == -high


@pytest.mark.parametrize("change", [-0.99, 0.99])
def test_equal_differences_near_the_end_of_the_range_stay_in_it(change):
    low, high = difference_interval(np.full(10, change), seed=1, paired_binary=False).two_sided()

    assert (low == -1.0) if change < 0 else (high == 1.0)
    assert -1.0 <= low < high <= 1.0


def test_a_mean_of_equal_grades_is_bounded_by_what_was_never_seen():
    same, pair = np.full(10, 0.5), np.array([0.4, 0.6])
    reach = 1 - 0.05 ** (1 / 10)

    assert mean_bound(same, 0.05, upper=True, binary=False) == pytest.approx(0.5 + reach)
    assert mean_bound(same, 0.05, upper=False, binary=False) == pytest.approx(0.5 - reach)
    high = 0.5 + stats.t.ppf(0.95, 1) * stats.sem(pair)
    assert mean_bound(pair, 0.05, upper=True, binary=False) == pytest.approx(high)


def test_a_single_difference_has_an_interval_without_noise():
    low, high = difference_interval(np.array([-1.0]), seed=1, paired_binary=True).two_sided()

    assert low == -1.0
    assert high == pytest.approx(-0.05)


def test_many_samples_use_students_t_alone():
    values = np.random.default_rng(1).normal(0, 0.1, 3000)
    low, high = difference_interval(values, seed=1, paired_binary=False).two_sided()

    assert (low, high) == pytest.approx(
        stats.t.interval(0.95, 2999, values.mean(), stats.sem(values)), abs=1e-9
    )


@pytest.mark.parametrize("upper", [True, False])
def test_the_bound_of_a_mean_meets_the_limit_at_the_failing_mean(upper):
    values = np.array([1.0] * 45 + [0.0] * 5)
    bound = mean_bound(values, 0.05, upper=upper, binary=True)
    low, high = stats.binomtest(45, 50).proportion_ci(0.9, "wilson")

    assert bound == pytest.approx(high if upper else low)
    assert failing_mean(bound, values, 0.05, upper=upper, binary=True) == pytest.approx(0.9)
    graded = np.linspace(0.2, 0.8, 9)
    bound = mean_bound(graded, 0.05, upper=upper, binary=False)
    assert failing_mean(bound, graded, 0.05, upper=upper, binary=False) == pytest.approx(0.5)


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
