"""What asking again does: tries of questions that must pass, and confirming a suspicious run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from benchmarks.gate_answers import source
from benchmarks.gate_losses import run_of_scores
from benchmarks.gate_model import Floats
from benchmarks.gate_verdicts import Gate, family_p
from benchmarks.repeating import TODAY, samples_of
from benchmarks.shares import share
from ragate.core.comparison.compare import compare
from ragate.core.rules.metric_case import read_cases
from ragate.core.rules.must_pass import decide_must_pass, flips
from ragate.core.statistics.looks import FLIPS_TRIES, SUSPICIOUS
from ragate.core.statistics.permutation import Block
from ragate.models import MustPassRow, Rule

QUESTIONS, FLIPPING = 40, 8
RARELY, OFTEN = 0.1, 0.4  # a flipping question misses in so many of its runs
BASE, MOST = 3, 3
RULES = (Rule(metric="score", pass_at=0.5),)
Passes = npt.NDArray[np.bool_]


def must_pass(scale: float) -> Iterator[str]:
    """Yield how often an unchanged system is blocked, and a real break found, by the record.

    Of 40 questions that must pass 8 miss in a tenth to four tenths of all runs, the others never.
    The record is that of runs of main, the baseline's three among them. One that broke misses
    always; it is a question whose record shows that it flips, and whose last run passed.
    """
    rng, draws = np.random.default_rng(47), round(1_000 * scale)
    for runs in (3, 10, 17, 33):
        ends = [_tried(rng, runs) for _ in range(draws)]
        known, unknown = share(end[0] for end in ends), share(end[1] for end in ends)
        found = share(bool(end[2]) for end in ends if end[2] is not None)
        yield (
            f"{runs} runs of main: nothing changed, blocked by a known flipper {known}, by one not "
            f"yet known {unknown}; a known flipper that breaks is found in {found}"
        )


def _tried(rng: np.random.Generator, runs: int) -> tuple[bool, bool, bool | None]:
    """Draw a record and a candidate.

    Returns:
        Whether it is blocked by a known flipper, and by one that is not yet known; whether it is
        where a known flipper breaks for good, None where none is known.
    """
    chance = np.zeros(QUESTIONS)
    chance[:FLIPPING] = rng.uniform(RARELY, OFTEN, FLIPPING)
    before = rng.random((QUESTIONS, runs)) >= chance[:, None]
    after = rng.random((QUESTIONS, FLIPS_TRIES)) >= chance[:, None]
    unchanged = _red(before, after)
    known = [row for row in range(FLIPPING) if flips(before[row].tolist())]
    found = None
    if known:
        broken = int(rng.choice(known))
        after[broken] = False
        found = any(
            row.sample_id == samples_of(QUESTIONS)[broken].id for row in _red(before, after)
        )
    return any(row.flips for row in unchanged), any(not row.flips for row in unchanged), found


def _red(before: Passes, after: Passes) -> list[MustPassRow]:
    """Return what blocks, asked as a check asks: all that must pass, as often as it wants."""
    samples = [sample.amended(must_pass=True) for sample in samples_of(len(before))]
    earlier = zip(samples, before[:, :-BASE].tolist(), strict=True)
    record = {(sample.id, "score"): passed for sample, passed in earlier}
    baseline = run_of_scores(before[:, -BASE:, None].astype(float), "before", ["score"])
    tries = 1
    while True:
        scores = after[:, :tries, None].astype(float)
        candidate = run_of_scores(scores, "after", ["score"], confirm=0, whole=1)
        comparison = compare(baseline, candidate, samples)
        cases = read_cases(RULES, comparison, (), TODAY)
        decided = decide_must_pass(cases, comparison, (), TODAY, record)
        if not decided.missing_tries or tries == FLIPS_TRIES:
            return [row for row in decided.rows if row.is_red]
        tries = min(FLIPS_TRIES, tries + decided.missing_tries)


def fast_red(scale: float) -> Iterator[str]:
    """Yield what it saves that a clear first run is red at once, and how much power that costs.

    Beside the gate as it is stands one that confirms every suspicious run, with all of alpha.
    """
    for n, drop in itertools.product((100, 200), (0.0, 0.05, 0.08, 0.15)):
        system, rng = source("openqa", 3), np.random.default_rng(n)
        broken = min(1.0, drop / system.loss)
        fast, slow = [], []
        for seed in range(round(400 * scale)):
            scores = system.draw(rng, n, broken=broken)
            *_, last = Gate().looks(scores, seed)
            fast.append((bool(last.red), last.block.k))
            slow.append(_always_confirmed(scores, seed))
        saved = 1 - sum(runs for _, runs in fast) / sum(runs for _, runs in slow)
        reds = [share(red for red, _ in each) for each in (fast, slow)]
        yield (
            f"openqa n {n}, three metrics, a drop of {drop:g}: calls saved {saved:.2f}; "
            f"red {reds[0]}, where all are confirmed {reds[1]}"
        )


def _always_confirmed(scores: Floats, seed: int) -> tuple[bool, int]:
    gate = Gate(confirms=False)
    first = family_p(Block(scores[:, : BASE + 1], 1), seed=seed, draws=gate.draws)
    if first.min() > SUSPICIOUS:
        return False, 1
    return gate.is_red(scores, seed), MOST
