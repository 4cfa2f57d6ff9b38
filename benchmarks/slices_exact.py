"""What slices say of a system that repeats, on simulated changes whose truth is known.

    python benchmarks/slices_exact.py [--draws 500] [--output FILE]

One metric without noise on 200 samples, ten slices of 30 that overlap. Answers are reworded for
better and worse alike: a few scores move a little, or turn from right to wrong and back. Each draw
is the product's decision with and without slices; the same with a rule that takes up to four
changed scores of a slice for certain, as over the whole set. 95 % Wilson intervals; fixed seeds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.repeating import CHANGE, SETTINGS, TODAY, run_of
from benchmarks.shares import print_lines, share
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.repeating_samples import FEW, PROOF
from ragate.core.decision.decide import decide
from ragate.core.rules import exact
from ragate.models import Decision, MetricVerdict, Rule, Sample, Slice

Floats = npt.NDArray[np.float64]
N, SLICES, SIZE = 200, 10, 30
RULE = Rule(metric="score", max_drop=0.05)  # the whole set has room: a slice alone is in question
PARTS = tuple(
    Slice(name=f"s{number}", where=(f"s{number}=true",), metrics=("score",))
    for number in range(SLICES)
)


@dataclass(frozen=True)
class Change:
    """What a change does to the answers.

    Attributes:
        share: Of the answers that are reworded.
        flips: Whether a reworded one turns from right to wrong or back, or moves a little.
        lost: Right answers of the first slice that become wrong.
    """

    name: str
    share: float
    flips: bool
    lost: int = 0


CHANGES = (
    Change("10 % move a little", 0.1, flips=False),
    Change("10 % right or wrong", 0.1, flips=True),
    Change("30 % right or wrong", 0.3, flips=True),
    Change("10 % right or wrong, 12 of 30 lost", 0.1, flips=True, lost=12),
)


@cache
def sliced() -> tuple[Comparison, npt.NDArray[np.bool_]]:
    """Return a comparison of samples whose outputs all differ and repeat, and who is where."""
    rng = np.random.default_rng(7)
    members = np.zeros((SLICES, N), dtype=bool)
    for each in members:
        each[rng.choice(N, SIZE, replace=False)] = True
    samples = [
        Sample(
            id=f"q{row:04}",
            query=f"question {row}",
            metadata={f"s{number}": True for number in np.flatnonzero(members[:, row])},
        )
        for row in range(N)
    ]
    scores = np.zeros((N, 2 * PROOF))
    sides = (np.full((N, 2 * PROOF), answer) for answer in ("same", "other"))
    before, after = (run_of(samples, outputs, scores, passes=PROOF) for outputs in sides)
    return compare(before, after, samples), members


def scores_of(rng: np.random.Generator, change: Change) -> tuple[Floats, Floats]:
    """Return (samples,) scores before and after."""
    moved = rng.random(N) < change.share
    if change.flips:
        before = (rng.random(N) < 0.5).astype(float)
        after = np.where(moved, 1.0 - before, before)
    else:
        before = rng.uniform(0.4, 0.6, N)
        after = np.where(moved, before + rng.normal(0.0, CHANGE, N), before)
    lost = np.flatnonzero(sliced()[1][0])[: change.lost]
    before[lost], after[lost] = 1.0, 0.0
    return before, np.clip(after, 0.0, 1.0)


def decided(before: Floats, after: Floats, *, slices: tuple[Slice, ...] = PARTS) -> Decision:
    """Return the product's decision on scores that repeat."""
    comparison, _ = sliced()
    column = comparison.columns["score"]
    old, new = (replace(column.baseline, values=each[:, None]) for each in (before, after))
    column = replace(column, baseline=old, candidate=new, recorded=old)
    comparison = replace(comparison, columns={"score": column})
    return decide([RULE], comparison, SETTINGS, today=TODAY, slices=slices)


def red_by_slice(decision: Decision) -> bool:
    """Return whether a slice is red."""
    return any(row.blocks for row in decision.slices)


def table(draws: int) -> Iterator[str]:
    """Yield one line a change."""
    yield f"n {N}, a metric that repeats, {SLICES} slices of {SIZE}, alpha .02; {draws} draws a row"
    yield f"{'change':<36}{'a slice red':<24}{'red if few are certain':<24}{'yellow':<24}no slices"
    for seed, change in enumerate(CHANGES):
        rng = np.random.default_rng(seed)
        found: list[tuple[bool, bool, bool, bool]] = []
        for _ in range(draws):
            scores = scores_of(rng, change)
            tested, alone = decided(*scores), decided(*scores, slices=())
            with mock.patch.object(exact._Lost, "few", FEW):
                certain = decided(*scores)
            worse = {row.verdict for row in tested.slices} & {MetricVerdict.WORSE_HERE}
            red = alone.exit_code == 1
            found.append((red_by_slice(tested), red_by_slice(certain), bool(worse), red))
        cells = "".join(f"{share(column):<24}" for column in zip(*found, strict=True))
        yield f"{change.name:<36}{cells}"


def main() -> None:
    """Print the table, and write it to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    print_lines(table(options.draws), options.output)


if __name__ == "__main__":
    main()
