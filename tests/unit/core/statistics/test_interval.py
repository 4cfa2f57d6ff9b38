"""Intervals and quantiles, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragate.core.statistics.interval import difference_interval, failing_mean, mean_bound, tango
from ragate.models import Rule
from tests.unit.core.cluster_factories import clusters_of
from tests.unit.core.decision_factories import judge, noisy_pair, row_of

RULE = Rule(metric="faithfulness")


# Bounds printed by another implementation of the same interval.
TANGO = {
    (1, 0, 20): (-0.236131, 0.119181),
    (7, 2, 50): (-0.231267, 0.020922),
    (12, 3, 40): (-0.401809, -0.038883),
    (0, 5, 30): (0.034234, 0.335644),
    (5, 0, 5): (-1.0, -0.131035),
    (0, 5, 5): (0.131035, 1.0),
    (19, 1, 20): (-0.982237, -0.527738),
}


@pytest.mark.parametrize(("worse", "better", "n"), [(7, 2, 50), (0, 0, 5), (5, 0, 5), (0, 5, 5)])
def test_tangos_interval_equals_the_reference(reference, worse, better, n):
    low, high = tango(worse, better, n).two_sided()

    assert (low, high) == pytest.approx(reference.tango_interval(worse, better, n, 0.95), abs=1e-6)


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


@pytest.mark.parametrize("table", TANGO)
def test_tangos_interval_has_its_known_bounds(table):
    assert tango(*table).two_sided() == pytest.approx(TANGO[table], abs=2e-6)


def test_one_yes_or_no_run_a_side_is_given_tangos_interval():
    before, after = [[1.0]] * 20 + [[0.0]] * 20, [[0.0]] * 7 + [[1.0]] * 15 + [[0.0]] * 18
    row = row_of(judge(noisy_pair(before, after), RULE), "faithfulness")

    assert (row.worse, row.better) == (7, 2)
    assert row.interval == pytest.approx(tango(7, 2, 40).two_sided())


def test_the_studentised_bootstrap_is_the_plain_one():
    rng = np.random.default_rng(1)
    values = np.concatenate([np.zeros(30), -rng.random(6), rng.random(2)])
    error = values.std(ddof=1) / np.sqrt(38)
    drawn = values[rng.integers(0, 38, (40_000, 38))]
    spread = drawn.std(axis=1, ddof=1) / np.sqrt(38)
    t = (drawn.mean(axis=1) - values.mean())[spread > 1e-6] / spread[spread > 1e-6]
    low = values.mean() - max(np.quantile(t, 0.975), stats.t.ppf(0.975, 37)) * error
    high = values.mean() - min(np.quantile(t, 0.025), stats.t.ppf(0.025, 37)) * error
    found = difference_interval(values, seed=3, paired_binary=False).two_sided()

    assert found == pytest.approx((low, high), abs=0.01)
    assert np.quantile(t, 0.975) > stats.t.ppf(0.975, 37) + 0.3  # the bootstrap decides a side


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_bound_of_a_change_leaves_the_range(sign):
    differences = sign * np.array([1.0, 1.0, 1.0, 0.25])
    low, high = difference_interval(differences, seed=1, paired_binary=False).two_sided()

    assert sign * (high if sign > 0 else low) == 1.0
    assert -1.0 <= low < high <= 1.0


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("n", range(20, 80, 4))
def test_a_resample_without_the_few_that_changed_does_not_stretch_the_interval(n, lost):
    differences = np.random.default_rng(n).normal(0.0, 1e-17, n)  # means of equal runs
    differences[:lost] -= 6 / 7
    low, high = difference_interval(differences, seed=n, paired_binary=False).two_sided()

    assert -8 * lost / n < low < -lost / n < high < 4 * lost / n


def test_tangos_interval_is_for_one_yes_or_no_run_a_side_without_clusters():
    before, after = np.ones((30, 1)), np.ones((30, 1))
    after[:6] = 0.0
    counts = tango(6, 0, 30).two_sided()

    def interval(pair) -> tuple[float, float]:
        found = row_of(judge(pair, RULE), "faithfulness").interval
        assert found is not None
        return found

    def plain(change: np.ndarray) -> tuple[float, float]:
        return difference_interval(change, seed=0, paired_binary=False).two_sided()

    change = after[:, 0] - before[:, 0]
    assert interval(noisy_pair(before, after)) == pytest.approx(counts)
    graded = interval(noisy_pair(before / 2, after / 2))
    assert graded == pytest.approx(plain(change / 2), abs=0.02)
    repeated = interval(noisy_pair(np.repeat(before, 3, axis=1), after))
    assert repeated == pytest.approx(plain(change), abs=0.02)
    clustered = interval(clusters_of([1] * 30, [1] * 6 + [0] * 24))
    assert clustered == pytest.approx(plain(change), abs=0.02)
    assert all(abs(found[0] - counts[0]) > 0.03 for found in (graded, repeated, clustered))
