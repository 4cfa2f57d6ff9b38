"""How often a commit is red when it is run again and again, on simulated pull requests.

    python benchmarks/reruns.py [--draws 2000] [--output FILE]

Six metrics, alpha .02, three baseline passes. Three rules for the passes of earlier runs: pooled
with the newest ones; left aside (the newest run alone); and the shipped one, by which they may
confirm a suspicious newest run unless they differ from it. Six runs of a change that changes
nothing; three broken runs and then a repaired one; three good runs and then a broken one. 95 %
Wilson intervals; seeds fixed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gate_model import Floats, Simulated
from benchmarks.gate_verdicts import family_p
from benchmarks.shares import print_lines, share
from ragate.core.rules.metric_family import ALLOWED
from ragate.core.statistics.looks import SUSPICIOUS, Stages
from ragate.core.statistics.permutation import Block, relabel, step_down

ALPHA, CONFIRM, BASE, RUNS = 0.02, 2, 3, 6
MOST = RUNS * (1 + CONFIRM)
DRAWS = 399
SYSTEM = Simulated()
BROKEN = 0.10 / SYSTEM.rate


@dataclass
class Commit:
    """One simulated commit: its baseline, and passes to draw from, good ones and broken ones.

    Attributes:
        runs: Passes of the runs so far, (samples, passes, metrics) each.
    """

    scores: Floats
    seed: int
    runs: list[Floats] = field(default_factory=list)
    drawn: int = 0

    def draw(self, passes: int, *, broken: bool) -> Floats:
        """Return fresh passes of the good or of the broken state."""
        start = BASE + self.drawn + (MOST if broken else 0)
        self.drawn += passes
        return self.scores[:, start : start + passes]

    def test(self, passes: Floats) -> tuple[Floats, Floats]:
        """Return every metric's adjusted p against the baseline, and its drop."""
        values = np.concatenate([self.scores[:, :BASE], passes], axis=1)
        block = Block(values, passes.shape[1])
        p = family_p(block, seed=self.seed, draws=DRAWS)
        return p, -block.differences.mean(axis=0)

    def red(self, passes: Floats, level: float) -> bool:
        """Return whether `passes` alone are red at `level`."""
        p, drop = self.test(passes)
        return bool(((p <= level) & (drop >= ALLOWED - 1e-9)).any())

    def differ(self, newest: Floats) -> float:
        """Return the smaller family p of the newest against all earlier passes."""
        earlier = np.concatenate(self.runs, axis=1)
        block = Block(np.concatenate([earlier, newest], axis=1), newest.shape[1])
        null = relabel([block], seed=self.seed, draws=DRAWS)
        return float(min(step_down(null).min(), step_down(null, upwards=True).min()))


Rule = Callable[[Commit, bool], bool]
STAGES = Stages(ALPHA, CONFIRM)


def pooled(commit: Commit, broken: bool) -> bool:
    """Count all passes together; a suspicious whole of fewer than three gets more."""
    held = [*commit.runs, commit.draw(1, broken=broken)]
    passes = np.concatenate(held, axis=1)
    made = passes.shape[1]
    red = commit.red(passes, STAGES.level(made))
    if not red and made <= CONFIRM and commit.test(passes)[0].min() <= SUSPICIOUS:
        held.append(commit.draw(1 + CONFIRM - made, broken=broken))
        passes = np.concatenate(held, axis=1)
        red = commit.red(passes, STAGES.level(passes.shape[1]))
    commit.runs = [passes]
    return red


def _newest(commit: Commit, broken: bool) -> tuple[Floats, bool]:
    passes = commit.draw(1, broken=broken)
    if commit.red(passes, STAGES.level(1)):
        return passes, True
    if not commit.test(passes)[0].min() <= SUSPICIOUS:
        return passes, False
    passes = np.concatenate([passes, commit.draw(CONFIRM, broken=broken)], axis=1)
    return passes, commit.red(passes, STAGES.level(1 + CONFIRM))


def alone(commit: Commit, broken: bool) -> bool:
    """Judge the newest run only."""
    return _newest(commit, broken)[1]


def shipped(commit: Commit, broken: bool) -> bool:
    """Judge the newest run, and let earlier passes confirm a suspicious one."""
    passes, red = _newest(commit, broken)
    p = commit.test(passes)[0]
    if not red and commit.runs and p.min() <= SUSPICIOUS and commit.differ(passes) > SUSPICIOUS:
        together, drop = commit.test(np.concatenate([*commit.runs, passes], axis=1))
        proven = (together <= ALPHA) & (drop >= ALLOWED - 1e-9)
        red = bool((proven & (p <= SUSPICIOUS)).any())
    commit.runs.append(passes)
    return red


RULES: dict[str, Rule] = {"pooled": pooled, "newest alone": alone, "shipped": shipped}
STATES = {
    "no-op": (False,) * RUNS,
    "repaired": (True, True, True, False),
    "newly broken": (False, False, False, True),
}


def table(draws: int, n: int) -> Iterator[str]:
    """Yield one line a rule and course of events."""
    yield f"n {n}, six metrics, alpha {ALPHA}, K {BASE}, confirm {CONFIRM}; {draws} draws"
    yield f"{'events':<13} {'rule':<13} {'any run red':<22} last run red"
    seen: dict[tuple[str, str], list[list[bool]]] = {}
    rng = np.random.default_rng(20)
    for number in range(draws):
        scores = SYSTEM.draw(rng, n, runs=(BASE + MOST, MOST), broken=BROKEN)
        for events, states in STATES.items():
            for name, rule in RULES.items():
                commit = Commit(scores, seed=number)
                red = [rule(commit, broken) for broken in states]
                seen.setdefault((events, name), []).append(red)
    for (events, name), each in seen.items():
        last = share(red[-1] for red in each)
        yield f"{events:<13} {name:<13} {share(any(red) for red in each):<22} {last}"


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
