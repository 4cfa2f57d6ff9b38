"""The gate beside other rules, on the same changes: red where nothing changed, and where it did.

    pip install statgate
    python -m benchmarks.rivals [--scale 1.0] [--output FILE]

Simulated systems (yes or no, correlation .4) and real answers (`gate_answers`), of which nothing
falls, also where 30 % of the answers are reworded without harm, or a metric, a third of them or all
fall by 5 points. Passes are disjoint draws. Every rule allows the same drop, a hundredth;
those for one metric share .02 among the metrics (Bonferroni); the tuned tolerance is the one that
reds .02 of other changes that change nothing. `runs` says how often the candidate was asked.
"""

from __future__ import annotations

import argparse
import itertools
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.gate_answers import source
from benchmarks.gate_model import Floats, Simulated, Source, Truth
from benchmarks.gate_verdicts import Gate
from benchmarks.shares import print_lines, share
from ragate.core.rules.metric_family import ALLOWED

BASE, RUNS, ALPHA, DROP = 3, 3, 0.02, 0.05
SIZES, METRICS = (200, 100, 30, 400), (1, 4, 12)
REAL = {"openqa": 200, "azure": 198}
NOTHING, REWORDED = "nothing", "30 % reworded, nothing"
DRAWS = {NOTHING: 2_000, REWORDED: 1_000}
SLACK = 1e-9
Rule = Callable[[Floats, int], tuple[bool, int]]
"""From scores (samples, runs, metrics) and a seed to whether it is red, and runs asked."""


def ours(scores: Floats, seed: int) -> tuple[bool, int]:
    *_, last = Gate(draws=999).looks(scores, seed)
    return bool(last.red), last.block.k


def _moves(scores: Floats, base: int, runs: int) -> Floats:
    """Return (samples, metrics) changes of the means over so many runs a side."""
    after = scores[:, BASE : BASE + runs].mean(axis=1)
    return np.asarray(after - scores[:, :base].mean(axis=1), dtype=np.float64)


def _any(p: Floats, moves: Floats, level: float = ALPHA) -> bool:
    proven = p <= level / moves.shape[1]
    return bool((proven & (moves.mean(axis=0) <= -ALLOWED + SLACK)).any())


def _t(moves: Floats) -> Floats:
    error = moves.std(axis=0, ddof=1) / np.sqrt(len(moves))
    t = moves.mean(axis=0) / np.maximum(error, 1e-12)
    return np.asarray(stats.t.cdf(t, len(moves) - 1), dtype=np.float64)


def t_test(base: int, runs: int) -> Rule:
    def rule(scores: Floats, _seed: int) -> tuple[bool, int]:
        moves = _moves(scores, base, runs)
        return _any(_t(moves), moves), runs

    return rule


def t_two_looks(scores: Floats, _seed: int) -> tuple[bool, int]:
    first = _moves(scores, BASE, 1)
    p = _t(first)
    if _any(p, first, 0.2 * ALPHA):
        return True, 1
    if p.min() * first.shape[1] > 0.2:
        return False, 1
    moves = _moves(scores, BASE, RUNS)
    return _any(_t(moves), moves, 0.8 * ALPHA), RUNS


def mcnemar(scores: Floats, _seed: int) -> tuple[bool, int]:
    moves = scores[:, BASE] - scores[:, 0]
    worse, better = (moves < -SLACK).sum(axis=0), (moves > SLACK).sum(axis=0)
    return _any(stats.binom.cdf(better, worse + better, 0.5), moves), 1


def wilcoxon(scores: Floats, _seed: int) -> tuple[bool, int]:
    moves = _moves(scores, BASE, RUNS)
    p = [stats.wilcoxon(each, alternative="less").pvalue if each.any() else 1.0 for each in moves.T]
    return _any(np.array(p), moves), RUNS


def tolerance(points: float) -> Rule:
    def rule(scores: Floats, _seed: int) -> tuple[bool, int]:
        moves = (scores[:, BASE] - scores[:, 0]).mean(axis=0)
        return bool((moves < -points - SLACK).any()), 1

    return rule


def statgate(scores: Floats, seed: int) -> tuple[bool, int]:
    """Block as statgate does with its defaults, on its own interval of each metric."""
    from statgate.core.bootstrap import bca_mean_interval

    margin = 0.02
    for each in _moves(scores, BASE, RUNS).T:
        found = bca_mean_interval(each, confidence=0.95, resamples=1_000, seed=seed)
        if found.high < -margin:
            return True, RUNS
    return False, RUNS


RULES: dict[str, Rule] = {
    "ragate": ours,
    "t, two looks": t_two_looks,
    "t 3 x 3": t_test(3, 3),
    "t 3 x 1": t_test(3, 1),
    "t 1 x 1": t_test(1, 1),
    "Wilcoxon 3 x 3": wilcoxon,
    "McNemar 1 x 1": mcnemar,
    "statgate 3 x 3": statgate,
    "tolerance 2 points": tolerance(0.02),
    "tolerance 5 points": tolerance(0.05),
}


@dataclass(frozen=True)
class Cell:
    """A system, and what a change does to it."""

    name: str
    n: int
    metrics: int
    falls: str
    system: Source
    truth: Truth

    def draws(self, many: int, seed: str = "") -> Iterator[Floats]:
        text = f"{self.name} {self.n} {self.metrics} {self.falls}{seed}"
        rng = np.random.default_rng(zlib.crc32(text.encode()))
        for _ in range(many):
            yield self.system.draw(rng, self.n, **self.truth)


def systems() -> Iterator[list[Cell]]:
    """Yield the cells of each system, the one in which nothing changes first."""
    for n, metrics in itertools.product(SIZES, METRICS):
        simulated = Simulated(kinds=("yes",) * metrics)
        cells = _harmless("simulated", n, metrics, simulated)
        for label, many in {"one": 1, "a third": metrics // 3, "all": metrics}.items():
            if label == "one" or many > 1:
                breaks = replace(simulated, breaking=tuple(range(many)))
                truth: Truth = {"broken": DROP / simulated.rate}
                cells.append(Cell("simulated", n, metrics, label, breaks, truth))
        yield cells
        if n == SIZES[0] and metrics == METRICS[-1]:
            for (name, size), few in itertools.product(REAL.items(), (1, 3)):
                real = source(name, few)
                lost: Truth = {"broken": min(1.0, DROP / real.loss)}
                one = Cell(name, size, few, "one or more", real, lost)
                yield [*_harmless(name, size, few, real), one]


def _harmless(name: str, n: int, metrics: int, system: Source) -> list[Cell]:
    return [
        Cell(name, n, metrics, NOTHING, system, {}),
        Cell(name, n, metrics, REWORDED, system, {"rewritten": 0.3}),
    ]


def table(scale: float) -> Iterator[str]:
    """Yield one line a cell and rule: the share of red, and the runs it took."""
    for cells in systems():
        tuned = tolerance(_tuned(cells[0], round(1_000 * scale)))
        for cell in cells:
            draws = max(40, round(DRAWS.get(cell.falls, 600) * scale))
            every = list(cell.draws(draws))
            yield (
                f"{cell.name}, n {cell.n}, metrics {cell.metrics}, {cell.falls} falls, "
                f"{draws} changes"
            )
            for label, rule in (RULES | {"tolerance, tuned": tuned}).items():
                found = [rule(scores, seed) for seed, scores in enumerate(every)]
                runs = np.mean([asked for _, asked in found])
                yield f"  {label:<20} red {share(red for red, _ in found):<22} runs {runs:.2f}"


def _tuned(cell: Cell, many: int) -> float:
    """Return the fall of any metric that .02 of other changes exceed that change nothing."""
    falls = [(each[:, 0] - each[:, BASE]).mean(axis=0).max() for each in cell.draws(many, " other")]
    return float(np.quantile(falls, 1 - ALPHA, method="higher"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the changes")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    print_lines(table(options.scale), options.output)


if __name__ == "__main__":
    main()
