"""Intervals, quantiles and the minimum detectable effect, against SciPy and published figures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragate.core.interval import difference_interval, failing_mean, mean_bound, tango
from ragate.core.power import (
    Design,
    Noise,
    fewest_losses,
    mde,
    measure_noise,
    power_plot,
    runs_needed,
    samples_needed,
    up_to_a_point,
)
from ragate.core.quantiles import binomial_tail, incomplete_beta, normal_quantile, t_quantile

# Points at alpha .05 and q .05: metrics, baseline runs, candidate runs -> by number of samples.
SIZES = (15, 30, 50, 100, 200, 500, 1000)
POINTS = {
    (1, 1, 1): (40, 23, 16, 9, 6, 3.2, 2.6),
    (1, 3, 1): (26, 15, 10, 6.4, 4.1, 2.8, 2.6),
    (6, 1, 1): (62, 36, 24, 14, 8.3, 4.4, 2.9),
    (6, 3, 1): (35, 21, 14, 8.8, 5.6, 3.2, 2.6),
    (6, 3, 3): (26, 15, 11, 6.5, 4.1, 2.8, 2.5),
}


@pytest.mark.parametrize("df", [1, 2, 3, 7, 30, 199, 5000])
@pytest.mark.parametrize("p", [0.0005, 0.01, 0.025, 0.3, 0.5, 0.8, 0.95, 0.9995])
def test_students_quantiles_equal_scipys(p, df):
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [1, 5, 40, 1000])
@pytest.mark.parametrize("p", [0.001, 0.1, 0.5, 0.97])
def test_binomial_tails_equal_scipys(n, p):
    for m in range(0, n + 2, max(1, n // 9)):
        assert binomial_tail(m, n, p) == pytest.approx(stats.binom.sf(m - 1, n, p), abs=1e-12)


@pytest.mark.parametrize(("worse", "better", "n"), [(7, 2, 50), (0, 0, 5), (5, 0, 5), (0, 5, 5)])
def test_tangos_interval_equals_the_reference(reference, worse, better, n):
    low, high = tango(worse, better, n).two_sided()

    assert (low, high) == pytest.approx(reference.tango_interval(worse, better, n, 0.95), abs=1e-6)


def test_certain_and_impossible_counts_have_tails_of_1_and_0():
    assert [binomial_tail(2, 3, p) for p in (0.0, 1.0)] == [0.0, 1.0]
    assert [binomial_tail(m, 3, 0.5) for m in (-1, 0, 4)] == [1.0, 1.0, 0.0]
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


@pytest.mark.parametrize("design", POINTS)
def test_the_minimum_detectable_effect_is_the_published_one(design):
    metrics, base, cand = design
    for n, wanted in zip(SIZES, POINTS[design], strict=True):
        seen = mde(
            n,
            Noise(0.05, known=True),
            alpha=0.05,
            metrics=metrics,
            baseline_runs=base,
            candidate_runs=cand,
            min_drop=0.02,
        )
        assert seen is not None
        tolerance = 0.15 if wanted != int(wanted) else 0.51
        assert seen * 100 == pytest.approx(wanted, abs=tolerance)


def test_the_reference_gives_the_same_effect(reference):
    for n, q, base, cand in ((15, 0.05, 1, 1), (50, 0.1, 3, 1), (200, 0.02, 3, 3)):
        ours = mde(
            n, Noise(q), alpha=0.02, baseline_runs=base, candidate_runs=cand, flips=base + cand == 2
        )
        theirs = reference.mde(n, q, 0.02, base, cand, midp=base + cand == 2)
        assert ours == pytest.approx(theirs, abs=1e-6)


def test_how_many_questions_show_a_five_point_drop():
    one = Design(alpha=0.05, metrics=1, baseline_runs=3)
    six = Design(alpha=0.05, metrics=6, baseline_runs=1)
    noise = Noise(0.05, known=True)

    assert samples_needed(0.05, noise, one) == pytest.approx(150, abs=5)
    assert samples_needed(0.05, noise, six) == pytest.approx(420, abs=5)
    assert samples_needed(0.019, noise, one) is None


def test_more_runs_show_smaller_drops():
    noise = Noise(0.05, known=True)
    design = Design(alpha=0.05, metrics=6)

    assert runs_needed(0.14, 50, noise, design) == 4
    assert runs_needed(0.25, 50, noise, design) == 1
    assert runs_needed(0.01, 50, noise, design) is None


def test_too_few_samples_show_nothing():
    assert mde(2, Noise(), alpha=0.02) is None
    assert mde(3, Noise(), alpha=0.02, metrics=6) is None


@pytest.mark.parametrize(
    ("level", "base", "cand", "flips", "losses"),
    [
        (0.05, 1, 1, False, 4),
        (0.05 / 6, 1, 1, False, 6),
        (0.05, 3, 1, False, 3),
        (0.05 / 6, 3, 1, False, 4),
        (0.02, 3, 3, False, 2),
        (0.02, 3, 3, True, 5),
    ],
)
def test_the_fewest_losses_that_can_fail(level, base, cand, flips, losses):
    found = fewest_losses(level, baseline_runs=base, candidate_runs=cand, flips=flips)
    assert found == losses


def test_noise_is_measured_within_samples():
    flips = np.array([[1.0, 0.0]] * 10 + [[1.0, 1.0]] * 90)
    noise = measure_noise(flips)

    assert noise.q == pytest.approx(0.1)
    assert noise.known
    assert noise.weight == pytest.approx((90 + 10 / 4) / 95)


def test_noise_is_never_taken_for_absent():
    assert measure_noise(np.ones((50, 3))).q == pytest.approx(1 / 100)
    assert measure_noise(np.ones((50, 1))) == Noise(0.05, known=False)
    assert measure_noise(np.full((3, 2), np.nan)) == Noise()
    assert measure_noise(np.zeros((50, 2))).weight == 1.0


def test_the_plot_has_a_line_a_size():
    plot = power_plot((2, 50, 200), Noise(), Design()).splitlines()

    assert len(plot) == 4
    assert "no drop can be shown" in plot[1]
    assert plot[2].count("#") > plot[3].count("#")


def test_points_are_rounded_up():
    assert up_to_a_point(0.1001) == 0.11
    assert up_to_a_point(0.1) == 0.1
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
