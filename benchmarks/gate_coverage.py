"""How often the printed interval holds the true change: breaks, sizes, runs and kinds of scores."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from benchmarks.gate_model import Floats
from ragate.core.statistics.interval import difference_interval

KINDS = ("yes or no", "yes or no, 5 % flip", "graded")
BREAKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
SIZES = (30, 60, 200)
RUNS = (1, 3)
RATE, FLIPS = 0.85, 0.05
LOSS, SHAKEN, WOBBLE = 0.5, 0.2, 0.1  # of a graded score: a break, and a run's own noise


def coverage(scale: float) -> Iterator[str]:
    """Yield the share of intervals that hold the truth, a line each kind, break and size."""
    least = 1.0
    for kind, broken, n in itertools.product(KINDS, BREAKS, SIZES):
        found = [cell(kind, broken, n, runs, draws=round(20_000 * scale)) for runs in RUNS]
        least = min(least, *(held for held, _ in found))
        said = (
            f"{runs} x {runs} {held:.3f} (width {width:.3f})"
            for runs, (held, width) in zip(RUNS, found, strict=True)
        )
        yield f"{kind}, {broken:.0%} broken, n {n}: {', '.join(said)}"
    yield f"the least of {len(KINDS) * len(BREAKS) * len(SIZES) * len(RUNS)} cells: {least:.3f}"


def cell(kind: str, broken: float, n: int, runs: int, *, draws: int) -> tuple[float, float]:
    """Return how often the interval holds the true change, and how wide it is in the middle."""
    rng = np.random.default_rng(zlib.crc32(f"{kind} {broken} {n} {runs}".encode()))
    truth = -broken * {KINDS[0]: 1.0, KINDS[1]: RATE, KINDS[2]: LOSS}[kind]
    changes = _changes(rng, kind, broken, (draws, n, runs))
    bounds = np.array([difference_interval(each) for each in changes])
    held = (bounds[:, 0] <= truth) & (truth <= bounds[:, 1])
    return float(held.mean()), float(np.median(np.diff(bounds, axis=1)))


def _changes(rng: Generator, kind: str, broken: float, shape: tuple[int, int, int]) -> Floats:
    """Return (draws, questions) changes of the mean of runs; each question breaks by chance."""
    dead = rng.random(shape[:2]) < broken
    if kind == KINDS[0]:
        return np.where(dead, -1.0, 0.0)
    if kind == KINDS[2]:
        noise = (_wobble(rng, shape) - _wobble(rng, shape)).mean(axis=2)
        return np.asarray(noise - LOSS * dead, dtype=np.float64)
    size = FLIPS / (2 * RATE * (1 - RATE) - FLIPS)
    chance = rng.beta(RATE * size, (1 - RATE) * size, shape[:2])
    before = rng.binomial(shape[2], chance) / shape[2]
    after = rng.binomial(shape[2], np.where(dead, 0.0, chance)) / shape[2]
    return np.asarray(after - before, dtype=np.float64)


def _wobble(rng: Generator, shape: tuple[int, int, int]) -> Floats:
    shaken = rng.random(shape) < SHAKEN
    return np.asarray(WOBBLE * rng.standard_normal(shape) * shaken, dtype=np.float64)
