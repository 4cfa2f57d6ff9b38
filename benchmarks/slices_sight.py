"""The printed smallest visible drop of a slice beside the drop at which simulated power is 80 %.

    python benchmarks/slices_sight.py [--draws 200] [--output FILE]

A set of 200 questions with slices drawn at random, so that they overlap, one metric each, three
baseline runs, q .05, mean .85, alpha .02 with the slices' share of it. Samples of the first slice
are taken to zero until its mean falls by the drop. Each change runs both looks on the slices, with
the gate's own tests; that the whole set may ask for the second look too is left out. Fixed seeds.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gate_model import Floats, draw_chances, losing, play
from benchmarks.gate_sight import FACTORS, drop_at_80
from benchmarks.gate_verdicts import SLACK, family_p
from benchmarks.shares import print_lines
from ragate.core.rules.metric_family import ALLOWED
from ragate.core.rules.slice_cases import LEAST_LOST, SHARE
from ragate.core.statistics.joint_noise import joint_noise
from ragate.core.statistics.looks import SUSPICIOUS_SLICES, Stages
from ragate.core.statistics.metric_noise import measure_noise
from ragate.core.statistics.permutation import Block
from ragate.core.statistics.power import Design, up_to_a_thousandth

N, BASELINE, ALPHA = 200, 3, 0.02
DRAWS, RATE, Q = 1_999, 0.85, 0.05
SIZES, SLICES = (20, 30, 60), (1, 3, 10)


@dataclass(frozen=True)
class Cell:
    """So many slices of one size, of which the first loses, and the gate that looks at them."""

    kind: str
    size: int
    slices: int
    confirm: int

    @property
    def design(self) -> Design:
        return Design(
            alpha=SHARE * ALPHA,
            baseline_runs=BASELINE,
            confirm=self.confirm,
            allowed=max(ALLOWED, LEAST_LOST / self.size),
            suspicious=SUSPICIOUS_SLICES,
        )


CELLS = tuple(
    Cell(*each) for each in itertools.product(("yes", "continuous"), SIZES, SLICES, (0, 2))
)


def members_of(rng: np.random.Generator, cell: Cell) -> npt.NDArray[np.bool_]:
    """Return (samples, slices): who is in which slice."""
    members = np.zeros((N, cell.slices), dtype=bool)
    for number in range(cell.slices):
        members[rng.choice(N, cell.size, replace=False), number] = True
    return members


def scores_of(
    rng: np.random.Generator, cell: Cell, inside: npt.NDArray[np.bool_], drop: float
) -> Floats:
    """Return the scores (samples, runs) of a change that takes so much off the first slice."""
    base = draw_chances(rng, (1, N), 1, Q, RATE)
    cand, members = base.copy(), np.flatnonzero(inside)
    cand[0, members[losing(rng, base[0, members, 0], drop)], 0] = 0.0
    runs = (BASELINE, 1 + cell.confirm)
    return play(rng, base, cand, q=Q, kinds=(cell.kind,), runs=runs)[0, :, :, 0]


def printed_drop(cell: Cell, scores: Floats, members: npt.NDArray[np.bool_]) -> float:
    """Return the figure of the first slice's row."""
    columns = scores[:, :, None] * members[:, None, :]
    joint = joint_noise((Block(columns, 1 + cell.confirm),))[0]
    noise = measure_noise(scores[members[:, 0], :BASELINE])
    seen = replace(cell.design, joint=joint).mde(cell.size, noise)
    return 1.0 if seen is None else up_to_a_thousandth(seen)


def is_red(scores: Floats, members: npt.NDArray[np.bool_], cell: Cell, seed: int) -> bool:
    """Return whether the first slice fails the gate, in the first look or the second."""
    design, stages = cell.design, Stages(cell.design.alpha, cell.confirm)
    columns = scores[:, :, None] * members[:, None, :]
    for runs in sorted({1, 1 + cell.confirm}):
        block = Block(columns[:, : BASELINE + runs], runs)
        p = family_p(block, seed=seed, draws=DRAWS)
        drop = -float(block.differences[:, 0].sum()) / cell.size
        if p[0] <= stages.level(runs) and drop >= design.allowed - SLACK:
            return True
        if p.min() > design.suspicious:
            return False
    return False


def sight(cell: Cell, draws: int) -> tuple[float, float]:
    """Return the printed drop, its median over the baselines, and the simulated one."""
    rng = np.random.default_rng(zlib.crc32(f"{cell}".encode()))
    members = members_of(rng, cell)
    guess = printed_drop(cell, scores_of(rng, cell, members[:, 0], 0.0), members)
    printed, drops, reds = [], [], []
    for number in range(draws):
        members = members_of(rng, cell)
        drop = min(guess * FACTORS[number % len(FACTORS)], RATE - 0.02)
        scores = scores_of(rng, cell, members[:, 0], drop)
        printed.append(printed_drop(cell, scores, members))
        drops.append(drop)
        reds.append(is_red(scores, members, cell, seed=number))
    return float(np.median(printed)), drop_at_80(np.array(drops), np.array(reds), guess)


def table(draws: int) -> Iterator[str]:
    """Yield printed and simulated drops, and how many of them lie within 15 %."""
    error = 100 * 0.75 / np.sqrt(draws)
    yield (
        f"Smallest visible drop of a slice, {draws} changes a cell; the standard error of a "
        f"simulated one is about {error:.0f} %"
    )
    errors = []
    for cell in CELLS:
        printed, seen = sight(cell, draws)
        errors.append(printed / seen - 1)
        yield (
            f"{cell.kind:<10} {cell.slices:>2} slices of {cell.size} "
            f"{1 + cell.confirm} of the change: printed {printed:.3f} simulated {seen:.3f} "
            f"({errors[-1]:+.0%})"
        )
    off = np.array(errors)
    yield (
        f"within 15 %: {(abs(off) <= 0.15).sum()} of {len(off)} cells; from {off.min():+.0%} to "
        f"{off.max():+.0%}, median {np.median(off):+.1%}"
    )


def main() -> None:
    """Print the table, and write it to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    print_lines(table(options.draws), options.output)
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
