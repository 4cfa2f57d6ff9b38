"""How often the gate is red, on simulated pull requests whose truth is known.

    python benchmarks/gate_calibration.py [--scale 1.0] [--only claims] [--output FILE]

Prints the shares of red verdicts for changes that change nothing, rewrite neutrally, or break a
known share of samples, beside those of naive rules, and the drop at which power reaches 80 %
beside the minimum detectable effect that the gate prints. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gate_cells import (
    ALL,
    DESIGNS,
    PUBLISHED,
    PUBLISHED_ADAPTIVE,
    TRUTHS,
    Cell,
    misfit,
    run_cell,
)
from benchmarks.gate_model import Floats, Truth, simulate
from benchmarks.gate_sight import sight_table
from benchmarks.shares import print_lines
from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.core.hashing import content_hash
from ragate.models import (
    DecisionSettings,
    MetricInfo,
    Needs,
    Record,
    Rule,
    Run,
    RunManifest,
    Sample,
    Score,
    SystemInfo,
    SystemOutput,
    Verdict,
)

NEAR = 0.03


def error_table(scale: float) -> Iterator[str]:
    """Yield the first table: this-set, alpha .05, no smallest drop, beside naive rules."""
    yield "Red verdicts, six metrics, alpha .05, this-set, no min_drop; (reference)"
    yield (
        f"{'n':>4} {'q':>4} {'truth':<10} {'tol 0':>6} {'tol.02':>6} {'tol.05':>6} {'t,Holm':>6} "
        f"{'1x1':>12} {'3x1':>12} {'3x3':>12} {'adaptive':>12} {'runs':>5} {'at .02':>7}"
    )
    for n in (15, 50, 200):
        for q in (0.02, 0.05, 0.10):
            names = [name for size, name in PUBLISHED if size == n]
            for name in names:
                cell = run_cell(n, q, TRUTHS[name], _size(n, scale))
                yield _error_row(cell, n, q, name)


def _size(n: int, scale: float) -> int:
    return max(20, round({15: 2500, 50: 2000, 100: 1200, 200: 1200}[n] * scale))


def _error_row(cell: Cell, n: int, q: float, name: str) -> str:
    goal = PUBLISHED.get((n, name)) if q == 0.05 else None
    shares = [cell.red(d, "this-set", alpha=0.05) for d in (*DESIGNS, "adaptive")]
    said = [f"{s:.3f} ({goal[i]:.3f})" if goal else f"{s:.3f}" for i, s in enumerate(shares)]
    naive = " ".join(f"{cell.naive(tolerance):6.2f}" for tolerance in (0.0, 0.02, 0.05))
    columns = " ".join(f"{text:>12}" for text in said)
    default = cell.red("adaptive", "this-set", alpha=0.02, min_drop=0.02)
    return (
        f"{n:>4} {q:>4.2f} {name:<10} {naive} {cell.holm(0.05):6.2f} {columns} "
        f"{cell.runs('this-set', alpha=0.05):5.2f} {default:7.3f}"
    )


def claim_table(scale: float) -> Iterator[str]:
    """Yield the second table: both claims of the adaptive rule, with the smallest drop and without.

    The reference says that it was made with the smallest drop.
    """
    simulations = max(20, round(4000 * scale))
    yield f"Red, adaptive, alpha .05, q .05: this-set / generalise; {simulations} simulations a row"
    yield f"{'n':>4} {'truth':<18} {'min_drop .02':<15} {'no min_drop':<15} reference"
    rows = []
    for n, name in PUBLISHED_ADAPTIVE:
        cell = run_cell(n, 0.05, TRUTHS[name], simulations, ("3x1", "3x3"))
        goal = PUBLISHED_ADAPTIVE[n, name]
        shares = [
            cell.red("adaptive", claim, alpha=0.05, min_drop=min_drop)
            for min_drop in (0.02, 0.0)
            for claim in ("this-set", "generalise")
        ]
        rows.append((*shares, *goal))
        here, fresh = goal
        marked = [
            f"{share:.3f}{'*' if abs(share - aim) > NEAR else ' '}"
            for share, aim in zip(shares, (here, fresh, here, fresh), strict=True)
        ]
        said = "  ".join(f"{a}/ {b}" for a, b in (marked[:2], marked[2:]))
        yield f"{n:>4} {name:<18} {said}  {here:.2f} / {fresh:.2f}"
    yield from _fit_lines(np.array(rows), simulations)


def _fit_lines(shares: Floats, simulations: int) -> Iterator[str]:
    """Say whether the reference's own sampling error explains what lies between the columns."""
    yield f"* more than {NEAR} from the reference. By chance? Chi-square ({len(shares)} cells) of"
    yield "each column, and its p, if the reference is of so many simulations a cell:"
    pairs = ((0, 4), (1, 5), (2, 4), (3, 5))
    for other in (200, 300, 400):
        found = [misfit(shares[:, a], shares[:, b], simulations, other) for a, b in pairs]
        said = "   ".join(f"{chi:.1f} (p {p:.2f})" for chi, p in found)
        yield f"  {other}: {said}"


def judge_only(simulations: int, *, n: int = 50, q: float = 0.05, alpha: float = 0.05) -> float:
    """Share of red when answers repeat exactly, the judge is noisy, and all are reworded.

    Runs the whole decision: three byte-equal baseline passes with one verdict per answer.
    """
    rng = np.random.default_rng(20)
    samples = [Sample(id=f"s{row:04d}", query=f"question {row}") for row in range(n)]
    truth = Truth("rewrite all", rewritten=1.0)
    scores = simulate(rng, pull_requests=simulations, n=n, q=q, truth=truth, runs=(1, 1))
    settings = DecisionSettings(alpha=alpha)
    rules = [Rule(metric=f"m{metric}") for metric in ALL]
    red = 0
    for each in scores:
        baseline = _run(samples, [each[:, 0]] * 3, "before")
        candidate = _run(samples, [each[:, 1]], "after")
        comparison = compare(baseline, candidate, samples)
        decision = decide(rules, comparison, settings, today=datetime.date(2026, 1, 1))
        red += decision.verdict is Verdict.FAILED
    return red / simulations


def _run(samples: Sequence[Sample], passes: Sequence[Floats], words: str) -> Run:
    records = [
        Record(
            sample_id=sample.id,
            run=number,
            content_hash=content_hash(sample),
            retrieval_hash="same",
            output_hash=f"{words} {sample.id} {scores[row].tobytes().hex()}",
            output=SystemOutput(answer=words),
            scores={f"m{m}": Score(metric=f"m{m}", value=float(scores[row, m])) for m in ALL},
        )
        for number, scores in enumerate(passes)
        for row, sample in enumerate(samples)
    ]
    metrics = {f"m{m}": MetricInfo(name=f"m{m}", needs=Needs.JUDGE) for m in ALL}
    system = SystemInfo(use="simulated", fingerprint=words)
    manifest = RunManifest(system=system, metrics=metrics, runs=len(passes))
    return Run(manifest=manifest, records=tuple(records))


def judge_table(scale: float) -> Iterator[str]:
    """Yield the share of red where the judge alone is noisy."""
    for alpha in (0.05, 0.02):
        share = judge_only(max(20, round(600 * scale)), alpha=alpha)
        yield (
            f"Answers repeat exactly, noisy judge, all reworded neutrally, whole decision, n 50: "
            f"red {share:.3f} at alpha {alpha}, at most {alpha + 0.03:.2f} wanted"
        )


TABLES = {"error": error_table, "claims": claim_table, "effect": sight_table, "judge": judge_table}


def main() -> None:
    """Print every table, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the simulations")
    parser.add_argument("--only", choices=[*TABLES], nargs="*", help="these tables alone")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    tables = (TABLES[name](options.scale) for name in options.only or TABLES)
    print_lines((line for table in tables for line in chain(table, [""])), options.output)
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
