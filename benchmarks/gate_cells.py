"""One cell of the calibration: simulated changes of one truth, and the product's tests on them.

PUBLISHED and PUBLISHED_ADAPTIVE hold the figures of an independent simulation of the same model,
with two decimals; the number of its simulations a cell is not known.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import stats

from benchmarks.gate_model import KINDS, Floats, Truth, simulate
from ragate.core.statistics.looks import SUSPICIOUS, confirmed_level, fast_level
from ragate.core.statistics.permutation import Block, flip, relabel, step_down

DRAWS = 399
ALL = tuple(range(len(KINDS)))
IDENTICAL = Truth("identical")
COLUMNS = {"1x1": ([0, 3], 1), "3x1": ([0, 1, 2, 3], 1), "3x3": ([0, 1, 2, 3, 4, 5], 3)}
DESIGNS = tuple(COLUMNS)
PUBLISHED = {  # share of red: 1x1, 3x1, 3x3, adaptive; this-set, q .05, alpha .05, no min_drop
    (15, "identical"): (0.03, 0.03, 0.03, 0.02),
    (15, "one -.20"): (0.34, 0.55, 0.80, 0.72),
    (50, "identical"): (0.04, 0.04, 0.05, 0.025),
    (50, "one -.10"): (0.46, 0.65, 0.85, 0.78),
    (50, "all -.05"): (0.39, 0.71, 0.89, 0.86),
    (200, "identical"): (0.05, 0.045, 0.04, 0.025),
    (200, "one -.05"): (0.54, 0.73, 0.93, 0.87),
}
PUBLISHED_ADAPTIVE = {  # this-set, generalise; alpha .05, min_drop .02
    (50, "identical"): (0.01, 0.02),
    (50, "rewrite 20 %"): (0.43, 0.04),
    (50, "rewrite all"): (0.48, 0.05),
    (50, "one -.10"): (0.80, 0.54),
    (50, "one -.10 and 20 %"): (0.80, 0.42),
    (50, "all -.05"): (0.83, 0.36),
    (100, "identical"): (0.01, 0.02),
    (100, "rewrite 20 %"): (0.35, 0.06),
    (100, "rewrite all"): (0.46, 0.06),
    (100, "one -.10"): (0.98, 0.90),
    (100, "one -.10 and 20 %"): (0.93, 0.73),
    (100, "all -.05"): (0.98, 0.82),
    (200, "identical"): (0.03, 0.04),
    (200, "rewrite 20 %"): (0.37, 0.05),
    (200, "rewrite all"): (0.50, 0.05),
    (200, "one -.10"): (1.0, 1.0),
    (200, "one -.10 and 20 %"): (0.99, 0.93),
    (200, "all -.05"): (1.0, 1.0),
}
TRUTHS = {
    "identical": IDENTICAL,
    "one -.20": Truth("one -.20", drop=0.2, broken=(0,)),
    "one -.10": Truth("one -.10", drop=0.1, broken=(0,)),
    "one -.05": Truth("one -.05", drop=0.05, broken=(0,)),
    "all -.05": Truth("all -.05", drop=0.05, broken=ALL),
    "rewrite 20 %": Truth("rewrite 20 %", rewritten=0.2),
    "rewrite all": Truth("rewrite all", rewritten=1.0),
    "one -.10 and 20 %": Truth("one -.10 and 20 %", drop=0.1, broken=(0,), rewritten=0.2),
}


@dataclass
class Cell:
    """What was seen in one cell: adjusted p and drops by design and claim, (simulations, metrics).

    Attributes:
        one_run: (simulations, samples, metrics) differences of the first runs, for naive rules.
    """

    p: dict[tuple[str, str], list[Floats]] = field(default_factory=dict)
    drops: dict[str, list[Floats]] = field(default_factory=dict)
    one_run: list[Floats] = field(default_factory=list)

    def red(self, design: str, claim: str, *, alpha: float, min_drop: float = 0.0) -> float:
        """Return the share of red; ``adaptive`` looks at 3x1 first and confirms on 3x3.

        A clear 3x1 is red at once; the two looks share `alpha`.
        """
        if design != "adaptive":
            return float(self._proven(design, claim, alpha, min_drop).mean())
        clear = self._proven("3x1", claim, fast_level(alpha), min_drop)
        confirmed = self._proven("3x3", claim, confirmed_level(alpha), min_drop)
        return float((clear | (self._suspicious(claim) & confirmed)).mean())

    def runs(self, claim: str, *, alpha: float, min_drop: float = 0.0) -> float:
        """Return the mean number of candidate runs of the adaptive rule."""
        clear = self._proven("3x1", claim, fast_level(alpha), min_drop)
        return 1.0 + 2.0 * float((self._suspicious(claim) & ~clear).mean())

    def _proven(
        self, design: str, claim: str, level: float, min_drop: float
    ) -> npt.NDArray[np.bool_]:
        p, drops = np.array(self.p[design, claim]), np.array(self.drops[design])
        return np.asarray(((p <= level) & (drops >= min_drop - 1e-9)).any(axis=1))

    def _suspicious(self, claim: str) -> npt.NDArray[np.bool_]:
        found = np.array(self.p["3x1", claim]).min(axis=1) <= SUSPICIOUS
        return np.asarray(found)

    def naive(self, tolerance: float) -> float:
        """Share of red when any metric's mean may fall by `tolerance`."""
        means = np.array([each.mean(axis=0) for each in self.one_run])
        return float((means < -tolerance - 1e-9).any(axis=1).mean())

    def holm(self, alpha: float) -> float:
        """Share of red of paired t tests with Holm's correction."""
        return float(np.mean([_holm(each, alpha) for each in self.one_run]))


def _holm(differences: Floats, alpha: float) -> bool:
    n = len(differences)
    error = differences.std(axis=0, ddof=1) / np.sqrt(n)
    mean = differences.mean(axis=0)
    t = np.where(error > 0, mean / np.where(error > 0, error, 1.0), np.sign(mean) * 50.0)
    return bool(stats.t.cdf(t, n - 1).min() <= alpha / differences.shape[1])


def run_cell(
    n: int, q: float, truth: Truth, simulations: int, designs: Sequence[str] = DESIGNS
) -> Cell:
    """Simulate one cell and test the designs, for both claims, with the product's own tests."""
    label = f"{n} {q} {truth.name}"
    rng = np.random.default_rng(zlib.crc32(label.encode()))
    cell = Cell()
    for start in range(0, simulations, 100):
        count = min(100, simulations - start)
        scores = simulate(rng, pull_requests=count, n=n, q=q, truth=truth)
        for number, runs in enumerate(scores):
            _test(cell, runs, designs, seed=start + number)
    return cell


def _test(cell: Cell, runs: Floats, designs: Sequence[str], *, seed: int) -> None:
    cell.one_run.append(runs[:, 3] - runs[:, 0])
    for design in designs:
        columns, k = COLUMNS[design]
        block = Block(runs[:, columns], k)
        here = step_down(relabel([block], seed=seed, draws=DRAWS))
        fresh = here
        if design != "1x1":
            fresh = step_down(flip(block.differences, seed=seed + 1, draws=DRAWS))
        cell.p.setdefault((design, "this-set"), []).append(here)
        cell.p.setdefault((design, "generalise"), []).append(fresh)
        cell.drops.setdefault(design, []).append(-block.differences.mean(axis=0))


def misfit(ours: Floats, theirs: Floats, simulations: int, other: int) -> tuple[float, float]:
    """Return chi-square, and its p, of two sets of shares, each cell from so many simulations.

    A small p says that more than chance, and rounding to two decimals, lies between them.
    """
    pooled = (ours * simulations + theirs * other) / (simulations + other)
    variance = pooled * (1 - pooled) * (1 / simulations + 1 / other) + 0.01**2 / 12
    chi = float(((ours - theirs) ** 2 / variance).sum())
    return chi, float(stats.chi2.sf(chi, len(ours)))
