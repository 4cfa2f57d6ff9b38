"""The gate beside other rules, on the same changes: red where nothing changed, and where it did.

    pip install statgate
    python -m benchmarks.rivals [--public FOLDER] [--scale 1.0] [--output FILE]

Simulated systems (yes or no, correlation .4) and real answers (`gate_answers`), or with `--public`
real repeats (`public_repeats`), of which nothing falls, also where 30 % of the answers are reworded
without harm, or a metric, a third of them or all fall by 5 points. Passes are disjoint. Every rule
allows the same drop, a hundredth; those for one metric share .02 among the metrics (Bonferroni);
the tuned tolerance is the one that reds .02 of other changes that change nothing. `runs` says how
often the candidate was asked.
"""

from __future__ import annotations

import argparse
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.gate_answers import source
from benchmarks.gate_model import Floats, Simulated, Source, Truth
from benchmarks.gate_verdicts import Gate
from benchmarks.public_repeats import public_sets
from benchmarks.shares import print_lines, share
from ragate.core.rules.metric_family import ALLOWED

ALPHA, DROP = 0.02, 0.05
BASE, RUNS = 3, 3
SIZES, METRICS = (200, 100, 30, 400), (1, 4, 12)
REAL = {"openqa": 200, "azure": 198}
# Of a public set at most four fifths are drawn, so that two draws differ.
PUBLIC_SIZES, PUBLIC_METRICS, PART = (200, 100, 30), (1, 4, 9), 0.8
NOTHING, REWORDED = "nothing", "30 % reworded, nothing"
DRAWS = {NOTHING: 2_000, REWORDED: 1_000}
SLACK = 1e-9
Rule = Callable[[Floats, int], tuple[bool, int]]
"""From scores (samples, BASE + runs, metrics) and a seed to whether it is red, and runs asked."""


def _runs_of(scores: Floats) -> int:
    """Return how often the candidate can be asked."""
    return int(scores.shape[1]) - BASE


def ours(scores: Floats, seed: int) -> tuple[bool, int]:
    runs = _runs_of(scores)
    *_, last = Gate(runs=runs, confirms=runs > 1, draws=999).looks(scores, seed)
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


def t_test(base: int, most: int) -> Rule:
    def rule(scores: Floats, _seed: int) -> tuple[bool, int]:
        runs = min(most, _runs_of(scores))
        moves = _moves(scores, base, runs)
        return _any(_t(moves), moves), runs

    return rule


def t_two_looks(scores: Floats, _seed: int) -> tuple[bool, int]:
    runs = _runs_of(scores)
    first = _moves(scores, BASE, 1)
    p = _t(first)
    if runs == 1 or _any(p, first, 0.2 * ALPHA):
        return _any(p, first), 1
    if p.min() * first.shape[1] > 0.2:
        return False, 1
    moves = _moves(scores, BASE, runs)
    return _any(_t(moves), moves, 0.8 * ALPHA), runs


def mcnemar(scores: Floats, _seed: int) -> tuple[bool, int]:
    moves = scores[:, BASE] - scores[:, 0]
    worse, better = (moves < -SLACK).sum(axis=0), (moves > SLACK).sum(axis=0)
    return _any(stats.binom.cdf(better, worse + better, 0.5), moves), 1


def wilcoxon(scores: Floats, _seed: int) -> tuple[bool, int]:
    runs = _runs_of(scores)
    moves = _moves(scores, BASE, runs)
    p = [stats.wilcoxon(each, alternative="less").pvalue if each.any() else 1.0 for each in moves.T]
    return _any(np.array(p), moves), runs


def tolerance(points: float) -> Rule:
    def rule(scores: Floats, _seed: int) -> tuple[bool, int]:
        moves = (scores[:, BASE] - scores[:, 0]).mean(axis=0)
        return bool((moves < -points - SLACK).any()), 1

    return rule


def statgate(scores: Floats, seed: int) -> tuple[bool, int]:
    """Block as statgate does with its defaults, on its own interval of each metric."""
    from statgate.core.bootstrap import bca_mean_interval

    margin, runs = 0.02, _runs_of(scores)
    for each in _moves(scores, BASE, runs).T:
        found = bca_mean_interval(each, confidence=0.95, resamples=1_000, seed=seed)
        if found.high < -margin:
            return True, runs
    return False, runs


# "3" of the candidate's runs: as many as there are.
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
    runs: int = RUNS

    def draws(self, many: int, seed: str = "") -> Iterator[Floats]:
        text = f"{self.name} {self.n} {self.metrics} {self.falls}{seed}"
        rng = np.random.default_rng(zlib.crc32(text.encode()))
        for _ in range(many):
            yield self.system.draw(rng, self.n, runs=(BASE, self.runs), **self.truth)


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


def public_systems(folder: Path) -> Iterator[list[Cell]]:
    """Yield the cells of each public set, those with all repeats first."""
    for name, whole in public_sets(folder):
        questions, repeats, most = whole.shape
        runs = min(RUNS, repeats - BASE)
        sizes = [n for n in PUBLIC_SIZES if n <= PART * questions]
        for n, metrics in itertools.product(sizes, [m for m in PUBLIC_METRICS if m <= most]):
            system = whole.first(metrics)
            cells = _harmless(name, n, metrics, system)[: len(whole.versions)]
            lost: Truth = {"broken": min(1.0, DROP / system.loss)}
            cells.append(Cell(name, n, metrics, "one", system, lost))
            if metrics > 1:
                every = replace(system, breaking=tuple(range(metrics)))
                cells.append(Cell(name, n, metrics, "all", every, lost))
            yield [replace(cell, runs=runs) for cell in cells]


def table(every: Iterable[list[Cell]], scale: float) -> Iterator[str]:
    """Yield one line a cell and rule: the share of red, and the runs it took."""
    for cells in every:
        tuned = tolerance(_tuned(cells[0], round(1_000 * scale)))
        for cell in cells:
            draws = max(40, round(DRAWS.get(cell.falls, 600) * scale))
            changes = list(cell.draws(draws))
            yield (
                f"{cell.name}, n {cell.n}, metrics {cell.metrics}, {cell.falls} falls, "
                f"{draws} changes"
            )
            for label, rule in (RULES | {"tolerance, tuned": tuned}).items():
                found = [rule(scores, seed) for seed, scores in enumerate(changes)]
                runs = np.mean([asked for _, asked in found])
                yield f"  {label:<20} red {share(red for red, _ in found):<22} runs {runs:.2f}"


def _tuned(cell: Cell, many: int) -> float:
    """Return the fall of any metric that .02 of other changes exceed that change nothing."""
    falls = [(each[:, 0] - each[:, BASE]).mean(axis=0).max() for each in cell.draws(many, " other")]
    return float(np.quantile(falls, 1 - ALPHA, method="higher"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the changes")
    parser.add_argument("--public", type=Path, help="folder with the clones of public data")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    every = public_systems(options.public) if options.public else systems()
    print_lines(table(every, options.scale), options.output)


if __name__ == "__main__":
    main()
