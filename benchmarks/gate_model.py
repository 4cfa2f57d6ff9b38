"""The simulated RAG behind the calibration: six correlated metrics with run-to-run noise.

Every sample has a chance p of a good result, drawn from a beta distribution with mean `rate` whose
spread makes two runs of one sample differ with probability `q`. Metrics share a normal copula of
correlation 0.4, in the chances and in the noise. Three metrics are yes or no, one is continuous,
one is a grade in five steps, one a share of three.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]
KINDS = ("yes", "yes", "yes", "continuous", "grade", "thirds")
CORRELATION = 0.4


@dataclass(frozen=True)
class Truth:
    """What the change does: break a share of samples, rewrite a share neutrally, or nothing.

    Attributes:
        drop: Fall of the mean of the metrics `broken`.
        rewritten: Share of samples whose chances are drawn anew.
    """

    name: str
    drop: float = 0.0
    broken: tuple[int, ...] = ()
    rewritten: float = 0.0


def simulate(
    rng: np.random.Generator,
    *,
    pull_requests: int,
    n: int,
    q: float,
    truth: Truth,
    kinds: tuple[str, ...] = KINDS,
    runs: tuple[int, int] = (3, 3),
    rate: float = 0.85,
) -> Floats:
    """Return scores (pull requests, samples, runs, metrics), the baseline's runs first."""
    shape, metrics = (pull_requests, n), len(kinds)
    base = draw_chances(rng, shape, metrics, q, rate)
    cand = base.copy()
    if truth.rewritten:
        anew = rng.random(shape) < truth.rewritten
        cand = np.where(anew[..., None], draw_chances(rng, shape, metrics, q, rate), cand)
    if truth.drop:
        dead = rng.random(shape) < truth.drop / rate
        for metric in truth.broken:
            cand[..., metric][dead] = 0.0
    return play(rng, base, cand, q=q, kinds=kinds, runs=runs)


def play(
    rng: np.random.Generator,
    base: Floats,
    cand: Floats,
    *,
    q: float,
    kinds: tuple[str, ...],
    runs: tuple[int, int],
) -> Floats:
    """Return scores (pull requests, samples, runs, metrics) of chances (…, samples, metrics)."""
    shape, metrics = (base.shape[0], base.shape[1]), len(kinds)
    scores = np.empty((*shape, sum(runs), metrics))
    for run in range(sum(runs)):
        chance = base if run < runs[0] else cand
        noise = _copula(rng, shape, metrics)
        for metric, kind in enumerate(kinds):
            scores[:, :, run, metric] = _score(
                rng, kind, chance[..., metric], noise[..., metric], q
            )
    return scores


def _copula(rng: np.random.Generator, shape: tuple[int, int], metrics: int) -> Floats:
    shared = rng.standard_normal((*shape, 1))
    own = rng.standard_normal((*shape, metrics))
    mixed = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own
    return np.asarray(stats.norm.cdf(mixed), dtype=np.float64)


def draw_chances(
    rng: np.random.Generator, shape: tuple[int, int], metrics: int, q: float, rate: float
) -> Floats:
    """Return the chances of good results (*shape, metrics)."""
    chances = np.interp(_copula(rng, shape, metrics), *_beta(q, rate))
    return np.asarray(chances, dtype=np.float64)


@cache
def _beta(q: float, rate: float) -> tuple[Floats, Floats]:
    """Return a grid of probabilities and the beta distribution's quantiles there."""
    size = q / (2 * rate * (1 - rate) - q)
    grid = np.linspace(0.0, 1.0, 4001)
    return grid, stats.beta.ppf(grid, rate * size, (1 - rate) * size)


def _score(rng: np.random.Generator, kind: str, chance: Floats, noise: Floats, q: float) -> Floats:
    if kind == "yes":
        return (noise < chance).astype(np.float64)
    if kind == "continuous":
        shaken = rng.random(chance.shape) < min(1.0, 4 * q)
        wobble = 0.1 * stats.norm.ppf(np.clip(noise, 1e-6, 1 - 1e-6)) * shaken
        return np.where(chance <= 0, 0.0, np.clip(chance + wobble, 0.0, 1.0))
    steps, width = (4, min(1.0, 8 * q)) if kind == "grade" else (3, min(1.0, 6 * q))
    level = np.floor(chance * steps + noise * width + (1 - width) / 2)
    return np.clip(level, 0, steps) / steps
