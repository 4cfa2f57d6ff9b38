"""The printed smallest visible drop beside the drop at which simulated power is 80 %.

The set's own mean falls by the drop: samples are taken to zero in one metric, in random order,
until it does. Each change runs both looks of the decision, with its own tests. The printed figure
is the one that the report gives for the same baseline runs. One baseline run does not show its
noise: there the assumed noise is simulated.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, stats

from benchmarks.claim_tests import family_p
from benchmarks.gate_model import Floats, draw_chances, play
from ragate.core.rules.metric_family import DEFAULT_ALLOWANCE, GENERALISE
from ragate.core.statistics.joint_noise import joint_noise
from ragate.core.statistics.looks import SUSPICIOUS, Stages
from ragate.core.statistics.metric_noise import measure_noise
from ragate.core.statistics.permutation import Block
from ragate.core.statistics.power import Design, up_to_a_thousandth

DRAWS = 1_999
RATE = 0.85
Q = 0.05
FACTORS = (0.7, 0.85, 1.0, 1.15, 1.35)
FAMILIES = {
    "yes": ("yes",) * 6,
    "continuous": ("continuous",) * 6,
    "mixed": ("yes", "continuous", "grade", "yes", "thirds", "yes"),
}
SLACK = 1e-9


@dataclass(frozen=True)
class Sight:
    """One cell: which family, of which the first metric breaks, and which gate."""

    family: str
    n: int
    claim: str
    baseline_runs: int
    confirm: int
    metrics: int

    @property
    def kinds(self) -> tuple[str, ...]:
        return FAMILIES[self.family][: self.metrics]

    @property
    def design(self) -> Design:
        return Design(
            baseline_runs=self.baseline_runs,
            confirm=self.confirm,
            flips=self.claim == GENERALISE,
            min_drop=DEFAULT_ALLOWANCE[self.claim],
        )


def _sights(
    family: str, sizes: tuple[int, ...], runs: tuple[int, ...], metrics: tuple[int, ...]
) -> Iterator[Sight]:
    every = itertools.product(sizes, DEFAULT_ALLOWANCE, runs, (0, 2), metrics)
    for n, claim, base, confirm, many in every:
        yield Sight(family, n, claim, base, confirm, many)


SIGHTS = (
    *_sights("yes", (50, 100, 200, 500), (1, 3), (1, 3, 6)),
    *_sights("continuous", (50, 200), (3,), (1, 6)),
    *_sights("mixed", (50, 200), (1, 3), (6,)),
)


def sight(cell: Sight, simulations: int) -> tuple[float, float]:
    """Return the printed drop, its median over the baselines, and the simulated one."""
    rng = np.random.default_rng(zlib.crc32(f"{cell}".encode()))
    guess = _printed(cell, _scores(rng, cell, 0.0)[0])
    printed, drops, reds = [], [], []
    for number in range(simulations):
        drop = guess * FACTORS[number % len(FACTORS)]
        scores, real = _scores(rng, cell, min(drop, RATE - 0.02))
        printed.append(_printed(cell, scores) if number < 100 else np.nan)
        drops.append(real)
        reds.append(is_red(scores, cell, seed=number))
    return float(np.nanmedian(printed)), drop_at_80(np.array(drops), np.array(reds), guess)


def _printed(cell: Sight, scores: Floats) -> float:
    noise = measure_noise(scores[:, : cell.baseline_runs, 0])
    joint = joint_noise((Block(scores, 1 + cell.confirm),))[0]
    seen = replace(cell.design, joint=joint).mde(cell.n, noise)
    return 1.0 if seen is None else up_to_a_thousandth(seen)


def _scores(rng: np.random.Generator, cell: Sight, drop: float) -> tuple[Floats, float]:
    """Return one change's scores (samples, runs, metrics) and how far the set's mean fell."""
    base = draw_chances(rng, (1, cell.n), cell.metrics, Q, RATE)
    cand = base.copy()
    order = rng.permutation(cell.n)
    falls = np.concatenate([[0.0], np.cumsum(base[0, order, 0]) / cell.n])
    broken = int(np.searchsorted(falls, drop, side="right")) - 1
    left = (drop - falls[broken]) / max(falls[min(broken + 1, cell.n)] - falls[broken], 1e-12)
    broken += bool(drop) and int(rng.random() < left)
    cand[0, order[:broken], 0] = 0.0
    runs = (cell.baseline_runs, 1 + cell.confirm)
    return play(rng, base, cand, q=Q, kinds=cell.kinds, runs=runs)[0], float(falls[broken])


def is_red(scores: Floats, cell: Sight, *, seed: int) -> bool:
    """Return whether the first metric fails the gate, in the first look or the second."""
    stages, design = Stages(cell.design.alpha, cell.confirm), cell.design
    p, drop = _test(scores[:, : cell.baseline_runs + 1], 1, design, seed)
    if p[0] <= stages.level(1) and drop >= design.min_drop - SLACK:
        return True
    if not cell.confirm or p.min() > SUSPICIOUS:
        return False
    p, drop = _test(scores, 1 + cell.confirm, design, seed)
    level = stages.level(1 + cell.confirm)
    return bool(p[0] <= level and drop >= design.min_drop - SLACK)


def _test(scores: Floats, runs: int, design: Design, seed: int) -> tuple[Floats, float]:
    block = Block(scores, runs)
    p = family_p(block, flips=design.flips and scores.shape[1] > 2, seed=seed, draws=DRAWS)
    return p, -float(block.differences[:, 0].mean())


def drop_at_80(drops: Floats, reds: Floats, guess: float) -> float:
    """Return where a probit curve through the verdicts reaches 80 %."""

    def surprise(line: Floats) -> float:
        chance = np.clip(stats.norm.cdf(line[0] + line[1] * drops / guess), 1e-9, 1 - 1e-9)
        return float(-np.where(reds, np.log(chance), np.log(1 - chance)).sum())

    start, slope = optimize.minimize(surprise, [-2.0, 3.0], method="Nelder-Mead").x
    return float((stats.norm.ppf(0.8) - start) / slope * guess)


def sight_table(scale: float) -> Iterator[str]:
    """Yield printed and simulated drops, and how many of them lie within 15 %."""
    simulations = max(60, round(600 * scale))
    yield (
        f"Smallest visible drop, alpha .02, q {Q}, mean {RATE}, printed and simulated "
        f"({simulations} changes a cell; its standard error is about "
        f"{100 * 0.75 / np.sqrt(simulations):.0f} %)"
    )
    errors = []
    for cell in SIGHTS:
        printed, seen = sight(cell, simulations)
        off = printed / seen - 1
        errors.append(abs(off))
        yield (
            f"{cell.family:<10} n {cell.n:>3} {cell.claim:<10} {cell.baseline_runs} baseline runs, "
            f"{1 + cell.confirm} of the change, {cell.metrics} metrics: printed {printed:.3f} "
            f"simulated {seen:.3f} ({off:+.0%})"
        )
    near = np.array(errors)
    yield f"within 15 %: {(near <= 0.15).sum()} of {len(near)} cells; median {np.median(near):.1%}"
