"""Whether samples that belong together share their noise."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.statistics.design_effect import design_effect, level_with, shared_noise
from ragate.core.statistics.quantiles import normal_quantile


def noise(
    clusters: int, size: int, *, shared: float, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of three runs, of which the samples of a cluster share a part."""
    rng = np.random.default_rng(seed)
    numbers = np.repeat(np.arange(clusters), size)
    common = rng.standard_normal((clusters, 3, 1))[numbers]
    own = rng.standard_normal((len(numbers), 3, 1))
    runs = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    return runs - runs.mean(axis=1, keepdims=True), numbers


def test_clusters_that_share_noise_are_named_and_others_are_not():
    residuals, numbers = noise(20, 10, shared=0.6)
    mixed = np.random.default_rng(2).permutation(numbers)

    found = shared_noise(residuals, {"doc": numbers, "mixed": mixed})

    assert list(found) == ["doc"]
    assert found["doc"] == pytest.approx(1 + 9 * 0.6, rel=0.35)


def test_independent_samples_are_seldom_named():
    named = sum(
        bool(shared_noise(residuals, {"doc": numbers}))
        for residuals, numbers in (noise(10, 5, shared=0.0, seed=seed) for seed in range(30))
    )

    assert named <= 2


def test_one_run_shows_nothing():
    assert shared_noise(np.ones((20, 1, 1)), {"doc": np.arange(20) // 2}) == {}
    assert design_effect(np.zeros((4, 3, 1)), np.zeros(4, dtype=np.intp)) == 1.0


def test_shared_noise_makes_a_test_red_more_often():
    assert level_with(1.0, 0.02) == pytest.approx(0.02)
    assert level_with(4.0, 0.02) == pytest.approx(0.152, abs=0.001)
    assert normal_quantile(0.98) == pytest.approx(2.054, abs=0.001)
