"""What the fast first look costs and spares, on simulated pull requests whose truth is known.

    python benchmarks/two_looks.py [--draws 2000] [--output FILE]

Six metrics, n = 200, alpha .02, three baseline passes. Red, and candidate passes, of the rule with
two looks that share alpha, beside the rule that confirms every suspicious first pass and has the
whole of alpha on all passes. 95 % Wilson intervals. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gate_cells import Cell, run_cell
from benchmarks.gate_model import Truth
from benchmarks.shares import print_lines, share
from ragate.core.statistics.looks import SUSPICIOUS, confirmed_level, fast_level

ALPHA = 0.02
CLAIMS = {"generalise": 0.01, "this-set": 0.02}  # and the smallest drop that counts
TRUTHS = (
    Truth("no-op"),
    Truth("rewrite 30 %", rewritten=0.3),
    *(Truth(f"one -{drop:.2f}", drop=drop, broken=(0,)) for drop in (0.05, 0.08, 0.15)),
)


def table(draws: int, n: int) -> Iterator[str]:
    """Yield one line a truth and claim."""
    yield f"n {n}, six metrics, alpha {ALPHA}, K 3, confirm 2; {draws} draws a row"
    yield (
        f"{'truth':<13} {'claim':<11} {'red, two looks':<22} {'red, one level':<22} "
        f"{'passes':>6} {'before':>6} {'spared':>6}"
    )
    for truth in TRUTHS:
        cell = run_cell(n, 0.05, truth, draws, ("3x1", "3x3"))
        for claim, smallest in CLAIMS.items():
            yield f"{truth.name:<13} {claim:<11} {_row(cell, claim, smallest)}"


def _row(cell: Cell, claim: str, smallest: float) -> str:
    suspicious = np.array(cell.p["3x1", claim]).min(axis=1) <= SUSPICIOUS
    clear = _red(cell, "3x1", claim, fast_level(ALPHA), smallest)
    two = clear | (suspicious & _red(cell, "3x3", claim, confirmed_level(ALPHA), smallest))
    single = suspicious & _red(cell, "3x3", claim, ALPHA, smallest)
    passes, before = 1 + 2 * (suspicious & ~clear).mean(), 1 + 2 * suspicious.mean()
    spared = 1 - passes / before
    return f"{share(two):<22} {share(single):<22} {passes:6.2f} {before:6.2f} {spared:6.0%}"


def _red(
    cell: Cell, design: str, claim: str, level: float, smallest: float
) -> npt.NDArray[np.bool_]:
    p, drops = np.array(cell.p[design, claim]), np.array(cell.drops[design])
    return np.asarray(((p <= level) & (drops >= smallest - 1e-9)).any(axis=1))


def main() -> None:
    """Print the table, and write it to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    print_lines(table(options.draws, options.samples), options.output)
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
