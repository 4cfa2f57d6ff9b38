"""What a baseline says about a metric's noise."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.statistics.metric_noise import Noise, measure_noise


def test_noise_is_measured_within_samples():
    noise = measure_noise(np.array([[1.0, 0.0]] * 10 + [[1.0, 1.0]] * 90))

    assert noise.q == pytest.approx(0.1)
    assert noise.measured
    assert noise.mean == pytest.approx(0.95)
    assert noise.between == 0.0


def test_the_mean_square_is_that_of_the_true_scores():
    """A sample that passes half of its runs has a square of a quarter, whatever its runs said."""
    rng = np.random.default_rng(1)
    scores = (rng.random((20_000, 2)) < 0.5).astype(float)

    assert measure_noise(scores).weight == pytest.approx(0.5, abs=0.01)


def test_noise_is_never_taken_for_absent():
    assert measure_noise(np.ones((50, 3))).q == pytest.approx(1 / 100)
    assert measure_noise(np.ones((50, 3)), runs=5).q == pytest.approx(1 / 200)
    slight = np.column_stack([np.full(50, 0.3), np.full(50, 0.3001), np.full(50, 0.3)])
    assert measure_noise(slight).q == pytest.approx(2 / 3 * 1e-8)


def test_noise_of_a_single_run_is_assumed_and_said_to_be():
    noise = measure_noise(np.ones((50, 1)))

    assert (noise.q, noise.measured) == (0.05, False)
    assert measure_noise(np.full((3, 2), np.nan)) == Noise()


def test_scores_of_zero_have_nothing_to_lose():
    noise = measure_noise(np.zeros((4, 3)))

    assert (noise.weight, noise.reach, noise.mean) == (1, 1, 1)


def test_graded_scores_lose_a_point_over_more_samples():
    noise = measure_noise(np.array([[0.5, 0.5], [1.0, 1.0], [0.0, 0.0]]))

    assert noise.reach == pytest.approx((2 / 3) / 0.5)
    assert noise.weight == pytest.approx((1.25 / 3 - noise.q / 4) / 0.5)


def test_samples_without_a_second_run_say_nothing_of_the_noise():
    scores = np.array([[1.0, 0.0], [1.0, np.nan], [1.0, 1.0]])

    assert measure_noise(scores).q == pytest.approx(0.5)


def test_what_was_reworded_is_read_off_a_change_however_many_answers_it_breaks():
    rng = np.random.default_rng(3)
    chances = rng.random((20_000, 2))  # of another wording another one
    base, cand = (rng.random((20_000, 3)) < chances[:, [side]] for side in (0, 1))
    noise = measure_noise(base.astype(float))

    def reworded(broken: float) -> float:
        kept = cand * (rng.random((20_000, 1)) >= broken)
        moves = kept.mean(axis=1) - base.mean(axis=1)
        return noise.as_seen(moves, baseline_runs=3, candidate_runs=3).reworded

    assert reworded(0.0) == pytest.approx(1 / 6, abs=0.01)  # twice the variance of the chances
    assert reworded(0.4) == pytest.approx(1 / 6, abs=0.01)
    assert reworded(1.0) == 0.0
