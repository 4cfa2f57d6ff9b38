"""The moments of a drop that is drawn again and again."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.permutation import Block, flip
from ragate.core.statistics.power import Moments


def broken_scores(rng: np.random.Generator, n: int, base: int, cand: int) -> np.ndarray:
    """Yes-or-no runs of `n` samples of which a tenth ceases to pass."""
    chances = np.where(rng.random(n) < 0.8, 1.0, 0.5)
    runs = (rng.random((n, base + cand)) < chances[:, None]).astype(float)
    runs[: n // 10, base:] = 0.0
    return runs[:, :, None]


@pytest.mark.parametrize(("base", "cand"), [(1, 1), (3, 1), (3, 3), (1, 3), (2, 3)])
def test_the_variance_is_that_of_flipped_signs(base, cand):
    rng = np.random.default_rng(7)
    n, draws = 400, []
    for seed in range(12):
        block = Block(broken_scores(rng, n, base, cand), cand)
        null = flip(block.differences, seed=seed, draws=4_999)
        scale = null.stars[:, 0] * (block.differences.sum() / null.z[0]) / n
        draws.append(scale.var())
    # q of a coin in a fifth of the samples; 0.9 is the mean, 0.85 the mean square.
    moments = Moments(Noise(0.1, mean=0.9, weight=0.85 / 0.9), base, cand)

    assert moments.null_deviation(0.09) ** 2 / n == pytest.approx(np.mean(draws), rel=0.1)


def test_the_drop_that_is_seen_scatters_by_the_runs_alone():
    """Which samples are broken is settled, and a broken one repeats as zero."""
    rng = np.random.default_rng(3)
    chances = np.where(rng.random(200) < 0.8, 1.0, 0.5)
    drops = []
    for _ in range(4000):
        runs = (rng.random((200, 6)) < chances[:, None]).astype(float)
        runs[:20, 3:] = 0.0
        drops.append(runs[:, :3].mean() - runs[:, 3:].mean())
    noise = Noise(float(2 * (chances * (1 - chances)).mean()), mean=float(chances.mean()))
    drop = float(chances[:20].sum() / 200)

    assert Moments(noise, 3, 3).deviation(drop) / math.sqrt(200) == pytest.approx(
        float(np.std(drops)), rel=0.05
    )
