"""How often a change is red under the defaults of the policy: simulated and on real answers.

    python benchmarks/gate_figures.py [--scale 1.0] [--only azure openqa simulated] [--output FILE]

Each change runs both looks of the decision, with its own tests, levels, allowances and verdicts.
Prints shares with their 95 % intervals (Wilson); seeds are fixed. The tests relabel 999 times where
the gate relabels 9,999 times: the last table says how many verdicts that changes.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gate_answers import AZURE, OPENQA, Answers, azure, openqa
from benchmarks.gate_model import KINDS, Floats, Truth, simulate
from benchmarks.gate_verdicts import Outcome, decide_scores
from benchmarks.shares import print_lines, wilson

RUNS = (3, 3)
QUIET = 0.1  # chance of a missing sentence, for the second half of azure's table
Draw = Callable[[np.random.Generator], Floats]


@dataclass(frozen=True)
class Cell:
    """One kind of change, and how many of them are tried.

    Attributes:
        metric: The metric that breaks; None: any red counts.
        most: Largest share of red that is wanted, of red or worse on this set; None: power.
    """

    label: str
    draw: Draw
    changes: int
    metric: int | None = None
    most: tuple[float, float] | None = None


def real_cells(answers: Answers, n: int, broken: dict[str, float]) -> Iterator[Cell]:
    """Yield the cells of one collection: `broken` names shares of questions that break."""

    def draw(**truth: float) -> Draw:
        return lambda rng: answers.draw(rng, n, runs=RUNS, **truth)

    yield Cell("no change", draw(), 2000, most=(0.02, 0.04))
    yield Cell("neutral swap of 30 %", draw(rewritten=0.3), 5000, most=(0.03, 1.0))
    for label, share in broken.items():
        yield Cell(label, draw(broken=share), 2000, metric=0)


def simulated_cells(n: int, kinds: tuple[str, ...]) -> Iterator[Cell]:
    """Yield the cells of the simulated system with `kinds` of metrics."""

    def draw(truth: Truth) -> Draw:
        return lambda rng: simulate(
            rng, pull_requests=1, n=n, q=0.05, truth=truth, kinds=kinds, runs=RUNS
        )[0]

    yield Cell("no change", draw(Truth("identical")), 2000, most=(0.02, 0.04))
    swap = draw(Truth("rewritten", rewritten=0.3))
    yield Cell("neutral swap of 30 %", swap, 5000, most=(0.03, 1.0))
    for drop in (0.05, 0.1):
        truth = Truth("broken", drop=drop, broken=(0,))
        yield Cell(f"one metric -{drop:g}", draw(truth), 2000, metric=0)


def row(cell: Cell, name: str, claim: str, scale: float) -> str:
    """Try the changes of one cell; return its line."""
    rng = np.random.default_rng(zlib.crc32(f"{name} {claim} {cell.label}".encode()))
    changes = max(20, round(cell.changes * scale))
    outcomes = [decide_scores(cell.draw(rng), RUNS, claim, seed=seed) for seed in range(changes)]
    red = _share(outcomes, lambda each: each.is_red(cell.metric))
    line = f"{name:<14} {claim:<10} {cell.label:<26} {changes:>5}  red {red}"
    if cell.most is not None:
        either = _share(outcomes, lambda each: each.is_red() or each.worse)
        line += f"  red or worse here {either}"
        line += _held(outcomes, cell.most)
    unsure = _share(outcomes, lambda each: each.unsure)
    runs = np.mean([each.runs for each in outcomes])
    return f"{line}  cannot tell {unsure}  runs {runs:.2f}"


def _held(outcomes: list[Outcome], most: tuple[float, float]) -> str:
    red = np.mean([each.is_red() for each in outcomes])
    either = np.mean([each.is_red() or each.worse for each in outcomes])
    return "  held" if red <= most[0] and either <= most[1] else "  NOT HELD"


def _share(outcomes: list[Outcome], counts: Callable[[Outcome], bool]) -> str:
    """Return a share with its 95 % interval."""
    hits = sum(counts(each) for each in outcomes)
    low, high = wilson(hits, len(outcomes))
    return f"{hits / len(outcomes):.4f} [{low:.4f}, {high:.4f}]"


def azure_table(claim: str, scale: float) -> Iterator[str]:
    """Yield the rows of real answers with contexts."""
    yield f"azure, 198 questions: {', '.join(AZURE)}"
    answers = azure()
    fall = float((answers.scores[:, :, 0, 0, 0] - answers.scores[:, :, 1, 0, 0]).mean())
    yield f"other names take {fall:.3f} off an answer's {AZURE[0]}"
    broken = {f"other names, {AZURE[0]} -{drop:g}": drop / fall for drop in (0.014, 0.03)}
    for cell in real_cells(answers, 198, broken):
        yield row(cell, "azure n 198", claim, scale)
    quiet = replace(answers, noise=QUIET)
    for cell in real_cells(quiet, 198, broken):
        yield row(cell, f"azure, {QUIET:g}", claim, scale)


def openqa_table(claim: str, scale: float) -> Iterator[str]:
    """Yield the rows of real short answers."""
    yield f"openqa, mixtures of four systems: {', '.join(OPENQA)}"
    answers = openqa()
    for n in (200, 50):
        for cell in real_cells(answers, n, {"no answer to 10 %": 0.1}):
            yield row(cell, f"openqa n {n}", claim, scale)


def simulated_table(claim: str, scale: float) -> Iterator[str]:
    """Yield the rows of the simulated system."""
    yield f"simulated, q .05: {', '.join(KINDS)}"
    for n in (200, 50):
        for cell in simulated_cells(n, KINDS):
            yield row(cell, f"simulated n {n}", claim, scale)


def draws_table(claim: str, scale: float) -> Iterator[str]:
    """Yield how many verdicts 9,999 relabellings change."""
    yield "verdicts with 999 and with 9,999 relabellings"
    answers = azure()
    for label, truth in (("no change", {}), ("neutral swap of 30 %", {"rewritten": 0.3})):
        rng = np.random.default_rng(5)
        many = max(10, round(400 * scale))
        scores = [answers.draw(rng, 198, runs=RUNS, **truth) for _ in range(many)]
        few, full = (
            [decide_scores(each, RUNS, claim, seed=i, draws=b) for i, each in enumerate(scores)]
            for b in (999, 9_999)
        )
        other = sum(a.is_red() != b.is_red() for a, b in zip(few, full, strict=True))
        red = [sum(each.is_red() for each in side) for side in (few, full)]
        yield f"azure {claim} {label}: red {red[0]} and {red[1]} of {many}, {other} differ"


TABLES = {
    "azure": azure_table,
    "openqa": openqa_table,
    "simulated": simulated_table,
    "draws": draws_table,
}


def main() -> None:
    """Print every table, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the changes")
    parser.add_argument("--only", choices=[*TABLES], nargs="*", help="these tables alone")
    parser.add_argument("--claims", choices=["generalise", "this-set"], nargs="*")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    lines = (
        line
        for claim in options.claims or ("generalise", "this-set")
        for name in options.only or TABLES
        for line in TABLES[name](claim, options.scale)
    )
    print_lines(lines, options.output)
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
