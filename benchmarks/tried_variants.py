"""Variants tried side by side on real answers: wrong verdicts, found falls, and what is asked.

    python -m benchmarks.tried_variants [--draws 500]

Five variants of one system, on 200 questions drawn anew each time; the first answers as the others
do, but for those that break on some questions. `try` looks with its own test, at 9,999
relabellings; `check` with its own at 999. What is asked is counted in passes over the questions:

- *five checks*: each variant checked against a baseline that is there already;
- *a recording and four checks*: the first is recorded in three passes, the others are checked.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from benchmarks.gate_answers import Answers, source
from benchmarks.gate_model import Floats
from benchmarks.gate_verdicts import Gate
from benchmarks.shares import wilson
from ragate.contrib.tryout.verdicts import (
    DOUBTS,
    Proof,
    Tested,
    is_doubtful,
    level_of,
    prove,
    safe_share,
)
from ragate.core.rules.metric_family import ALLOWED
from ragate.core.statistics.looks import CONFIRM

COLLECTIONS = ("azure", "openqa")
VARIANTS, QUESTIONS, METRICS, RECORDED = 5, 200, 2, 3
ALPHA = 0.02
WIDE = 0.08  # a limit within which a set of this size can prove something safe


@dataclass(frozen=True)
class Scenario:
    """What the variants lose.

    Attributes:
        falls: Of each variant, the fall of the first metric's mean over fresh questions.
        allowed: The fall that the policy allows.
    """

    name: str
    falls: tuple[float, ...]
    allowed: float = ALLOWED

    @property
    def unsafe(self) -> set[int]:
        return {number for number, fall in enumerate(self.falls) if fall >= self.allowed}


SCENARIOS = (
    Scenario("all are equal", (0.0,) * VARIANTS),
    Scenario("all are equal, 8 points allowed", (0.0,) * VARIANTS, WIDE),
    Scenario("the last loses 2 points", (0.0,) * 4 + (0.02,)),
    Scenario("the last loses 5 points", (0.0,) * 4 + (0.05,)),
    Scenario("the last two lose 9 points", (0.0,) * 3 + (0.09,) * 2),
    Scenario("all others lose the 8 points that are allowed", (0.0, *(WIDE,) * 4), WIDE),
)


@dataclass
class Counts:
    """What came of the draws of one scenario."""

    worse: int = 0
    safe: int = 0
    found: int = 0
    proven: int = 0
    passes: list[int] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)
    recording: list[int] = field(default_factory=list)


def drawn(answers: Answers, rng: Generator, falls: Sequence[float], passes: int) -> Floats:
    """Return scores (variants, passes, questions, metrics)."""
    questions, versions, _, texts, metrics = answers.scores.shape
    chosen = rng.integers(questions, size=QUESTIONS)
    version = rng.integers(versions, size=QUESTIONS)
    scores = np.empty((len(falls), passes, QUESTIONS, metrics))
    for variant, fall in enumerate(falls):
        broken = (rng.random(QUESTIONS) < fall / answers.loss).astype(int)
        for number in range(passes):
            moved = rng.random(QUESTIONS) < answers.noise
            text = rng.integers(1, texts, size=QUESTIONS) * moved
            scores[variant, number] = answers.scores[chosen, version, broken, text]
    return scores


def looked_at(
    means: Sequence[Floats], level: float, allowed: float, seed: int
) -> list[list[Proof]]:
    """Return what is proven of each variant but the first, by metric."""
    tested = [
        Tested(sums=moves, spread=moves, drop=-float(moves.mean()), allowed=allowed)
        for mean in means[1:]
        for moves in (mean - means[0]).T
    ]
    share = safe_share(ALPHA, len(means) - 1, further=CONFIRM)
    proofs = prove(tested, level=level, share=share, seed=seed)
    return [proofs[at : at + METRICS] for at in range(0, len(proofs), METRICS)]


def tried(scores: Floats, allowed: float, seed: int) -> tuple[dict[int, list[Proof]], int]:
    """Return what a trial says of each variant but the first, and the passes that it asked."""
    asked = [1] * len(scores)

    def look(number: int) -> dict[int, list[Proof]]:
        means = [each[:count].mean(axis=0) for each, count in zip(scores, asked, strict=True)]
        level = level_of(number, further=CONFIRM, alpha=ALPHA)
        return dict(enumerate(looked_at(means, level, allowed, seed), 1))

    def doubtful(limit: float) -> Iterator[int]:
        for variant, proofs in shown.items():
            moves = scores[variant, : asked[variant]].mean(0) - scores[0, : asked[0]].mean(0)
            falls = -moves.mean(axis=0)
            doubted = any(
                is_doubtful(proof.p, fall, allowed, limit=limit, alpha=ALPHA)
                for proof, fall in zip(proofs, falls, strict=True)
            )
            if doubted and not any(each.worse for each in proofs):
                yield variant

    told = shown = look(0)
    doubted = set(shown)
    for number, limit in enumerate(DOUBTS, 1):
        doubted &= {*doubtful(limit)}
        if not doubted:
            break
        for variant in (0, *doubted):
            asked[variant] += 1
        shown = look(number)
        told = told | {variant: shown[variant] for variant in doubted}
    return told, sum(asked)


def checked(scores: Floats, recorded: Floats, seed: int) -> list[int]:
    """Return how many passes `check` asks of each variant."""
    runs = []
    for each in scores:
        *_, last = Gate().looks(np.concatenate([recorded, each]).transpose(1, 0, 2), seed)
        runs.append(int(last.block.k))
    return runs


def measured(answers: Answers, scenario: Scenario, draws: int) -> Counts:
    """Draw the scenario so many times."""
    counts, worse_ones = Counts(), {v for v, fall in enumerate(scenario.falls) if fall > 0}
    for seed in range(draws):
        rng = np.random.default_rng([seed, SCENARIOS.index(scenario)])
        every = drawn(answers, rng, (*scenario.falls, scenario.falls[0]), RECORDED)
        told, passes = tried(every[:VARIANTS], scenario.allowed, seed)
        worse = {v for v, proofs in told.items() if any(each.worse for each in proofs)}
        safe = {v for v, proofs in told.items() if all(each.safe for each in proofs)}
        counts.worse += bool(worse - worse_ones)
        counts.safe += bool(safe & scenario.unsafe)
        counts.found += worse_ones <= worse
        counts.proven += len(safe)
        counts.passes.append(passes)
        runs = checked(every[:VARIANTS], every[VARIANTS], seed)
        counts.checks.append(sum(runs))
        counts.recording.append(RECORDED + sum(runs[1:]))
    return counts


def lines(answers: Answers, scenario: Scenario, draws: int) -> Iterator[str]:
    """Yield what came of a scenario."""
    counts = measured(answers, scenario, draws)
    low, high = wilson(counts.worse, draws)
    yield f"  {scenario.name}:"
    yield f"    wrongly worse {counts.worse / draws:.3f} ({low:.3f} to {high:.3f})"
    if scenario.unsafe and scenario.allowed == WIDE:
        low, high = wilson(counts.safe, draws)
        yield f"    wrongly safe {counts.safe / draws:.3f} ({low:.3f} to {high:.3f})"
    if any(scenario.falls):
        yield f"    all that fall are found {counts.found / draws:.3f}"
    elif scenario.allowed == WIDE:
        yield f"    of four, proven safe {counts.proven / draws:.2f}"
    passes, checks, recording = (
        float(np.mean(each)) for each in (counts.passes, counts.checks, counts.recording)
    )
    yield (
        f"    passes {passes:.2f}; five checks {checks:.2f}, share {passes / checks:.2f}; a "
        f"recording and four checks {recording:.2f}, share {passes / recording:.2f}"
    )


def main() -> None:
    """Print a block for each collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=500)
    options = parser.parse_args()
    for name in COLLECTIONS:
        answers = source(name, METRICS)
        assert isinstance(answers, Answers)
        print(f"{name}, {QUESTIONS} questions, {METRICS} metrics, {options.draws} draws")
        for scenario in SCENARIOS:
            print("\n".join(lines(answers, scenario, options.draws)), flush=True)


if __name__ == "__main__":
    main()
