"""The simulated RAG behind the calibration: six correlated metrics with run-to-run noise.

Every sample has a chance p of a good result, drawn from a beta distribution with mean `rate` whose
spread makes two runs of one sample differ with probability `q`. Metrics share a normal copula of
correlation 0.4, in the chances and in the noise. Three metrics are yes or no, one is continuous,
one is a grade in five steps, one a share of three.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import TypedDict

import numpy as np
import numpy.typing as npt
from numpy.random import Generator
from scipy import stats

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
KINDS = ("yes", "yes", "yes", "continuous", "grade", "thirds")
CORRELATION = 0.4


class Truth(TypedDict, total=False):
    """What a change does, of what `draw` takes: nothing where it is empty."""

    rewritten: float
    broken: float


class Source(ABC):
    """A system of which changes are drawn."""

    def draw(
        self,
        rng: Generator,
        n: int,
        *,
        runs: tuple[int, int] = (3, 3),
        rewritten: float = 0.0,
        broken: float = 0.0,
        drop: float = 0.0,
    ) -> Floats:
        """Return scores (n questions, runs, metrics), the baseline's runs first.

        Args:
            rewritten: Share of the questions that are answered otherwise.
            broken: Share of the questions that break.
            drop: How far the first metric's mean falls by questions that lose all of it.
        """
        scores, expected = self.play(rng, n, runs, rewritten, broken)
        if drop:
            scores[losing(rng, expected, drop), runs[0] :, 0] = 0.0
        return scores

    @abstractmethod
    def play(
        self, rng: Generator, n: int, runs: tuple[int, int], rewritten: float, broken: float
    ) -> tuple[Floats, Floats]:
        """Return the scores, and (n,) what the candidate's first metric is on average."""


@dataclass(frozen=True)
class Simulated(Source):
    """A RAG of which every question may break, be reworded, or stay.

    Attributes:
        breaking: The metrics that break; `drop` takes the first of all metrics alone.
    """

    kinds: tuple[str, ...] = KINDS
    q: float = 0.05
    rate: float = 0.85
    breaking: tuple[int, ...] = (0,)

    @property
    def loss(self) -> float:
        """How far the first metric falls, on average, where every question breaks."""
        return self.rate

    def play(
        self, rng: Generator, n: int, runs: tuple[int, int], rewritten: float, broken: float
    ) -> tuple[Floats, Floats]:
        """Draw the chances of reworded questions anew; who is reworded or breaks is drawn too."""
        chances = draw_chances(rng, (2, n), len(self.kinds), self.q, self.rate)
        base, cand = chances[:1], chances[:1].copy()
        anew = rng.random(n) < rewritten
        cand[0, anew] = chances[1, anew]
        dead = rng.random(n) < broken
        for metric in self.breaking:
            cand[0, dead, metric] = 0.0
        scores = play(rng, base, cand, q=self.q, kinds=self.kinds, runs=runs)
        return np.asarray(scores[0], dtype=np.float64), cand[0, :, 0]


def losing(rng: Generator, expected: Floats, drop: float) -> Ints:
    """Return questions, drawn at random, whose loss takes `drop` off the mean, to the nearest."""
    order = rng.permutation(len(expected))
    lost = np.concatenate([[0.0], np.cumsum(expected[order])])
    return np.asarray(order[: abs(lost - drop * len(expected)).argmin()], dtype=np.intp)


def play(
    rng: Generator,
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


def _copula(rng: Generator, shape: tuple[int, int], metrics: int) -> Floats:
    shared = rng.standard_normal((*shape, 1))
    own = rng.standard_normal((*shape, metrics))
    mixed = np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own
    return np.asarray(stats.norm.cdf(mixed), dtype=np.float64)


def draw_chances(
    rng: Generator, shape: tuple[int, int], metrics: int, q: float, rate: float
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


def _score(rng: Generator, kind: str, chance: Floats, noise: Floats, q: float) -> Floats:
    if kind == "yes":
        return (noise < chance).astype(np.float64)
    if kind == "continuous":
        shaken = rng.random(chance.shape) < min(1.0, 4 * q)
        wobble = 0.1 * stats.norm.ppf(np.clip(noise, 1e-6, 1 - 1e-6)) * shaken
        return np.where(chance <= 0, 0.0, np.clip(chance + wobble, 0.0, 1.0))
    steps, width = (4, min(1.0, 8 * q)) if kind == "grade" else (3, min(1.0, 6 * q))
    level = np.floor(chance * steps + noise * width + (1 - width) / 2)
    return np.clip(level, 0, steps) / steps
