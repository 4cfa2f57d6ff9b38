"""How often the gate is red, on simulated pull requests whose truth is known.

    python benchmarks/gate_calibration.py [--scale 1.0] [--output FILE]

Prints the shares of red verdicts for changes that change nothing, rewrite neutrally, or break a
known share of samples, beside those of naive rules, and the drop at which power reaches 80 %
beside the minimum detectable effect that the gate prints. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gate_model import KINDS, Floats, Truth, simulate
from ragate.core.comparison import compare
from ragate.core.decision import decide
from ragate.core.hashing import content_hash
from ragate.core.permutation import Block, flip, relabel, step_down
from ragate.core.power import Noise, mde
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

DRAWS = 399
SUSPICIOUS = 0.2
ALL = tuple(range(len(KINDS)))
IDENTICAL = Truth("identical")
DESIGNS = ("1x1", "3x1", "3x3")
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
        """Return the share of red; ``adaptive`` looks at 3x1 first and confirms on 3x3."""
        last = "3x3" if design == "adaptive" else design
        p, drops = np.array(self.p[last, claim]), np.array(self.drops[last])
        red = ((p <= alpha) & (drops >= min_drop - 1e-9)).any(axis=1)
        if design == "adaptive":
            red &= self._suspicious(claim)
        return float(red.mean())

    def runs(self, claim: str) -> float:
        """Return the mean number of candidate runs of the adaptive rule."""
        return 1.0 + 2.0 * float(self._suspicious(claim).mean())

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


def run_cell(n: int, q: float, truth: Truth, simulations: int) -> Cell:
    """Simulate one cell and test every design and claim with the product's own tests."""
    label = f"{n} {q} {truth.name}"
    rng = np.random.default_rng(zlib.crc32(label.encode()))
    cell = Cell()
    for start in range(0, simulations, 100):
        count = min(100, simulations - start)
        scores = simulate(rng, pull_requests=count, n=n, q=q, truth=truth)
        for number, runs in enumerate(scores):
            _test(cell, runs, seed=start + number)
    return cell


def _test(cell: Cell, runs: Floats, *, seed: int) -> None:
    cell.one_run.append(runs[:, 3] - runs[:, 0])
    for design, columns, k in (
        ("1x1", [0, 3], 1),
        ("3x1", [0, 1, 2, 3], 1),
        ("3x3", [0, 1, 2, 3, 4, 5], 3),
    ):
        block = Block(runs[:, columns], k)
        here = step_down(relabel([block], seed=seed, draws=DRAWS))
        fresh = here
        if design != "1x1":
            fresh = step_down(flip(block.differences, seed=seed + 1, draws=DRAWS))
        cell.p.setdefault((design, "this-set"), []).append(here)
        cell.p.setdefault((design, "generalise"), []).append(fresh)
        cell.drops.setdefault(design, []).append(-block.differences.mean(axis=0))


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
        f"{cell.runs('this-set'):5.2f} {default:7.3f}"
    )


def claim_table(scale: float) -> Iterator[str]:
    """Yield the second table: both claims of the adaptive rule with the smallest drop."""
    yield "Red verdicts, adaptive, alpha .05, q .05: this-set / generalise"
    yield f"{'n':>4} {'truth':<18} {'min_drop .02':<15} {'no min_drop':<15} reference"
    for n, name in PUBLISHED_ADAPTIVE:
        cell = run_cell(n, 0.05, TRUTHS[name], _size(n, scale))
        goal = PUBLISHED_ADAPTIVE[n, name]
        shares = [
            cell.red("adaptive", claim, alpha=0.05, min_drop=min_drop)
            for min_drop in (0.02, 0.0)
            for claim in ("this-set", "generalise")
        ]
        said = "   ".join(f"{a:.3f} / {b:.3f}" for a, b in (shares[:2], shares[2:]))
        yield f"{n:>4} {name:<18} {said}   {goal[0]:.2f} / {goal[1]:.2f}"


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


@dataclass(frozen=True)
class Sight:
    """A cell of the check of the minimum detectable effect: which part of it decides."""

    part: str
    n: int
    q: float
    base: int
    k: int
    min_drop: float = 0.0
    alpha: float = 0.05


SIGHTS = (
    Sight("noise", 200, 0.10, 1, 1),
    Sight("noise", 200, 0.10, 3, 1),
    Sight("noise", 100, 0.05, 3, 3),
    Sight("count", 15, 0.02, 3, 1),
    Sight("count", 30, 0.02, 3, 1),
    Sight("limit", 1000, 0.05, 3, 1, 0.02),
    Sight("limit", 1000, 0.05, 3, 3, 0.02),
)


def sight(cell: Sight, simulations: int) -> tuple[float, float]:
    """Return the printed effect and the drop at which simulated power is 80 %, one metric."""
    noise = Noise(cell.q, known=True)
    printed = mde(
        cell.n,
        noise,
        alpha=cell.alpha,
        baseline_runs=cell.base,
        candidate_runs=cell.k,
        min_drop=cell.min_drop,
    )
    assert printed is not None
    drops = [printed * factor for factor in (0.6, 0.75, 0.9, 1.05, 1.2, 1.4)]
    power = [_power(cell, drop, simulations) for drop in drops]
    return printed, float(np.interp(0.8, np.maximum.accumulate(power), drops))


def _power(cell: Sight, drop: float, simulations: int) -> float:
    rng = np.random.default_rng(zlib.crc32(f"{cell} {drop:.4f}".encode()))
    truth = Truth("one", drop=drop, broken=(0,))
    red = 0
    for start in range(0, simulations, 50):
        scores = simulate(
            rng,
            pull_requests=min(50, simulations - start),
            n=cell.n,
            q=cell.q,
            truth=truth,
            kinds=("yes",),
            runs=(cell.base, cell.k),
        )
        for number, runs in enumerate(scores):
            block = Block(runs, cell.k)
            p = step_down(relabel([block], seed=start + number, draws=DRAWS))[0]
            red += bool(p <= cell.alpha and -block.differences.mean() >= cell.min_drop - 1e-9)
    return red / simulations


def sight_table(scale: float) -> Iterator[str]:
    """Yield printed and simulated minimum detectable effects."""
    yield "Minimum detectable effect, one yes-or-no metric, alpha .05: printed and simulated"
    for cell in SIGHTS:
        printed, seen = sight(cell, max(40, round(400 * scale)))
        off = printed / seen - 1
        yield (
            f"{cell.part:<6} n {cell.n:>4} q {cell.q:.2f} {cell.base}x{cell.k} "
            f"printed {printed:.3f} simulated {seen:.3f} ({off:+.0%})"
        )


def main() -> None:
    """Print every table, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the simulations")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    for table in (error_table, claim_table, sight_table):
        for line in table(options.scale):
            say(line)
        say("")
    simulations = max(20, round(600 * options.scale))
    for alpha in (0.05, 0.02):
        share = judge_only(simulations, alpha=alpha)
        say(
            f"Answers repeat exactly, noisy judge, all reworded neutrally, whole decision, n 50: "
            f"red {share:.3f} at alpha {alpha}, at most {alpha + 0.03:.2f} wanted"
        )
    print(f"{time.monotonic() - started:.0f} s")
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
