"""The figures that the rules were designed by, beside what the package gives for them.

Three of the question answering systems of `gate_answers` take turns, and in one run of ten any of
them answers. Each line has the median of many
draws and its standard error; of what the draws agree on there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.gate_answers import Answers, source
from benchmarks.gate_model import Floats
from benchmarks.gate_verdicts import Gate, shows
from ragate.core.rules.unscored import most_lost
from ragate.core.statistics.metric_noise import measure_noise

SYSTEMS, NOISE, RUNS = 3, 0.1, 3
SHARES = (0.0, 0.3, 1.0)
DROPS = {50: (".108", ".139", ".184"), 200: (".036", ".054", ".078")}
HIDDEN = {0.0: "1", 0.02: "5"}  # points, by the share of scores that the baseline lost


def figures(scale: float) -> Iterator[str]:
    """Yield each figure as designed, as it is, its standard error, and whether two explain it."""
    yield "figure | designed | ours | standard error | within two"
    yield from _visible_drops(round(100 * scale))
    for rate, designed in HIDDEN.items():
        most = most_lost(200, lost=round(rate * 200 * RUNS), runs=200 * RUNS)
        yield _line(f"hidden by lost scores, n 200, usual {rate:.0%}", designed, [most / 2])


def _visible_drops(changes: int) -> Iterator[str]:
    gate = Gate()
    for n, designed in DROPS.items():
        rng, printed = np.random.default_rng(n), []
        for _ in range(changes):
            scores = _three_systems(rng, n)
            noise = measure_noise(scores[:, :RUNS, 0])
            drops = [shows(scores, 0, gate, noise.when_reworded(share)) for share in SHARES]
            printed.append([1.0 if drop is None else drop for drop in drops])
        for share, wanted, found in zip(SHARES, designed, np.transpose(printed), strict=True):
            label = f"visible drop before a change, n {n}, reworded {share:.0%}"
            yield _line(label, wanted, found.tolist())


def _three_systems(rng: np.random.Generator, n: int) -> Floats:
    """Return the scores (n questions, runs, 1) of systems that take turns, and do not change."""
    answers = source("openqa", 1)
    assert isinstance(answers, Answers)
    table = answers.scores[:, :SYSTEMS, 0, 0, :]
    rows = rng.choice(len(table), n, replace=False)
    usual = rng.integers(SYSTEMS, size=n)
    every = []
    for _ in range(2 * RUNS):
        other = rng.integers(SYSTEMS, size=n)
        every.append(table[rows, np.where(rng.random(n) < NOISE, other, usual)])
    return np.stack(every, axis=1)


def _line(label: str, designed: str, found: Sequence[float]) -> str:
    ours, wanted = float(np.median(found)), float(designed)
    error = 1.2533 * float(np.std(found)) / math.sqrt(len(found))
    rounding = 0.5 * 10.0 ** -len(designed.partition(".")[2])
    near = abs(ours - wanted) <= 2 * error + rounding
    said = "yes" if near else f"off by {ours / wanted - 1:+.0%}"
    return f"{label} | {designed} | {ours:.4g} | {error:.2g} | {said}"
