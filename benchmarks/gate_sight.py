"""The smallest visible drop that is printed beside the one that shows in four of five cases.

A report prints the figure of its own change. So a change is drawn, its figure read, and the very
same change made to fall by a share of that figure: power is 80 % at a share of 1 if it is right.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from benchmarks.gate_answers import source
from benchmarks.gate_model import Floats
from benchmarks.gate_verdicts import Gate, shows
from ragate.core.rules.visible_drop import REWORDED
from ragate.core.statistics.metric_noise import Noise, measure_noise

FACTORS = (0.6, 0.8, 1.0, 1.2, 1.5)
SETTLED = 15  # changes whose median figure is where the others are read
EARLIER = 1_000_000  # their numbers


@dataclass(frozen=True)
class Sight:
    """One cell: changes of a system, of which the first metric breaks, and the gate they meet."""

    name: str
    n: int
    gate: Gate
    metrics: int
    reworded: float = 0.0

    def scores(self, number: int, drop: float) -> Floats:
        """Return the change of that number, made to fall so far."""
        label = f"{self.name} {self.n} {self.metrics} {self.reworded}"
        rng = np.random.default_rng([zlib.crc32(label.encode()), number])
        runs = (self.gate.base, self.gate.runs)
        system = source(self.name, self.metrics)
        return system.draw(rng, self.n, runs=runs, rewritten=self.reworded, drop=drop)

    def before(self, scores: Floats) -> float:
        """Return what is printed before there is a change, if this share were reworded."""
        return self._shown(scores, self._noise(scores).when_reworded(self.reworded))

    def own(self, scores: Floats) -> float:
        """Return what the report of this change prints."""
        moves = scores[:, self.gate.base :, 0].mean(axis=1) - scores[:, : self.gate.base, 0].mean(
            axis=1
        )
        runs = {"baseline_runs": self.gate.base, "candidate_runs": self.gate.runs}
        return self._shown(scores, self._noise(scores).as_seen(moves, **runs))

    def _noise(self, scores: Floats) -> Noise:
        return measure_noise(scores[:, : self.gate.base, 0])

    def _shown(self, scores: Floats, noise: Noise) -> float:
        found = shows(scores, 0, self.gate, noise)
        return 1.0 if found is None else found

    @property
    def usual(self) -> float:
        """The median figure of changes that fall by it."""
        drop = 0.7 / math.sqrt(self.n)
        for _ in range(3):
            changes = (self.scores(EARLIER + number, drop) for number in range(SETTLED))
            drop = float(np.median([self.own(scores) for scores in changes]))
        return drop


def sight(cell: Sight, changes: int) -> tuple[float, float, float]:
    """Return the printed figure (median), and it and the one before, over the simulated one."""
    drop = cell.usual
    own, before, reds = [], [], []
    for number in range(changes):
        scores = cell.scores(number, drop)
        own.append(cell.own(scores))
        before.append(cell.before(scores))
        falling = cell.scores(number, own[-1] * FACTORS[number % len(FACTORS)])
        reds.append(cell.gate.is_red(falling, number, 0))
    factors = np.resize(FACTORS, changes)
    right = drop_at_80(factors, np.array(reds), 1.0)
    return (
        float(np.median(own)),
        1 / right,
        float(np.median(np.array(before) / np.array(own))) / right,
    )


def drop_at_80(drops: Floats, reds: Floats, guess: float) -> float:
    """Return where a probit curve through the verdicts reaches 80 %."""

    def surprise(line: Floats) -> float:
        chance = np.clip(stats.norm.cdf(line[0] + line[1] * drops / guess), 1e-9, 1 - 1e-9)
        return float(-np.where(reds, np.log(chance), np.log(1 - chance)).sum())

    start, slope = optimize.minimize(surprise, [-2.0, 3.0], method="Nelder-Mead").x
    return float((stats.norm.ppf(0.8) - start) / slope * guess)


def _cells() -> Iterator[Sight]:
    """Yield real answers with a share reworded, then simulated ones with other runs and metrics."""
    rewordings = (0.0, REWORDED, 1.0)
    for name, n, metrics, reworded in itertools.product(
        ("openqa", "azure"), (50, 198), (1, 3), rewordings
    ):
        yield Sight(name, n, Gate(), metrics, reworded)
    for name, n, base, runs, metrics in itertools.product(
        ("yes or no", "mixed"), (50, 200), (1, 3), (1, 3), (1, 6)
    ):
        yield Sight(name, n, Gate(base=base, runs=runs), metrics)


def visible_drop(scale: float) -> Iterator[str]:
    """Yield the figures of every cell, and how many of them lie within 15 % of simulation."""
    changes = max(60, round(400 * scale))
    yield (
        f"Printed over simulated, {changes} changes a cell; the standard error of a simulated "
        f"drop is about {100 * 0.75 / np.sqrt(changes):.0f} %"
    )
    ratios = []
    for cell in _cells():
        own, ratio, before = sight(cell, changes)
        ratios.append(ratio)
        gate = cell.gate
        yield (
            f"{cell.name} n {cell.n}, {gate.base} x {gate.runs} runs, metrics "
            f"{cell.metrics}, reworded {cell.reworded:.0%}: of the change {own:.3f} ({ratio:.2f}), "
            f"before it {before:.2f}"
        )
    near = abs(np.array(ratios) - 1) <= 0.15
    yield (
        f"of the change within 15 %: {near.sum()} of {len(near)} cells; from {min(ratios):.2f} to "
        f"{max(ratios):.2f}, median {np.median(ratios):.2f}"
    )
