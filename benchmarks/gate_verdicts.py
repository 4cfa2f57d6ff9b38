"""The decision on plain arrays of scores: both looks, the tests and the verdicts of the package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.gate_model import Floats
from ragate.core.rules.decide_noisy import CARE, WORSE_HERE, Figures, verdict_of
from ragate.core.rules.metric_family import ALLOWED
from ragate.core.rules.visible_drop import visible_drop
from ragate.core.statistics.joint_noise import joint_noise
from ragate.core.statistics.looks import SUSPICIOUS, Stages
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.permutation import Block, flip, relabel, step_down
from ragate.core.statistics.power import Design, Moments
from ragate.models import DecisionSettings, MetricVerdict

SETTINGS = DecisionSettings()
SLACK = 1e-9


def family_p(block: Block, *, seed: int, draws: int) -> Floats:
    """Return every metric's adjusted p."""
    return step_down(flip(block.differences, seed=seed, draws=draws))


@dataclass(frozen=True)
class Look:
    """One test of all metrics: on so many candidate runs, at the level of that look."""

    block: Block
    p: Floats
    level: float
    allowed: float

    @property
    def red(self) -> list[int]:
        """The metrics that regressed."""
        drops = -self.block.differences.mean(axis=0)
        return np.flatnonzero((self.p <= self.level) & (drops >= self.allowed - SLACK)).tolist()


@dataclass(frozen=True)
class Gate:
    """Who looks: on how many runs, and how often.

    Attributes:
        confirms: Whether there are two looks; else one at all runs, with all of alpha.
        allowed: Smallest drop that counts.
        draws: Relabellings that are tried.
    """

    base: int = 3
    runs: int = 3
    confirms: bool = True
    alpha: float = SETTINGS.alpha
    allowed: float = ALLOWED
    draws: int = 999

    def design(self, scores: Floats, metric: int) -> Design:
        """Return the gate as the smallest visible drop of one metric is computed for it."""
        return Design(
            alpha=self.alpha,
            joint=joint_noise((Block(scores, scores.shape[1] - self.base),))[metric],
            baseline_runs=self.base,
            candidate_runs=1 if self.confirms else self.runs,
            confirm=self.runs - 1 if self.confirms else 0,
            allowed=self.allowed,
        )

    def looks(self, scores: Floats, seed: int) -> Iterator[Look]:
        """Yield the look at a change (samples, runs, metrics), and the one that confirms it."""
        stages = Stages(self.alpha, self.runs - 1 if self.confirms else 0)
        for runs in sorted({1, self.runs}) if self.confirms else [self.runs]:
            block = Block(scores[:, : self.base + runs], runs)
            p = family_p(block, seed=seed, draws=self.draws)
            look = Look(block, p, stages.level(runs), self.allowed)
            yield look
            if look.red or p.min() > SUSPICIOUS:
                return

    def is_red(self, scores: Floats, seed: int, metric: int | None = None) -> bool:
        """Return whether this metric regressed, or any."""
        *_, last = self.looks(scores, seed)
        return bool(last.red) if metric is None else metric in last.red


@dataclass(frozen=True)
class Outcome:
    """What the gate said of one change.

    Attributes:
        red: Metrics that regressed.
        worse: Whether it is not red, and a metric is worse on this set.
        unsure: Whether it is not red, and of a metric nothing can be told.
        large: Whether it is not red, and a fall is as large as what the set is said to see.
        held: Metrics that are said to hold.
        runs: Candidate runs that it took.
    """

    red: tuple[int, ...]
    worse: bool
    unsure: bool
    large: bool
    held: tuple[int, ...]
    runs: int

    @property
    def is_yellow(self) -> bool:
        """Whether somebody is asked to look: worse on this set, or a fall that may be real."""
        return self.worse or self.large

    def is_red(self, metric: int | None = None) -> bool:
        """Return whether this metric regressed, or any."""
        return bool(self.red) if metric is None else metric in self.red


def decide_scores(scores: Floats, gate: Gate, *, seed: int) -> Outcome:
    """Decide on scores (samples, runs, metrics) as a pull request would be decided on."""
    *_, last = gate.looks(scores, seed)
    figures = [_figures(scores, metric, gate, last, seed) for metric in range(scores.shape[2])]
    verdicts = [verdict_of(each, SETTINGS) for each in figures]
    red = tuple(i for i, each in enumerate(verdicts) if each is MetricVerdict.REGRESSED)
    rest = set(verdicts) if not red else set()
    return Outcome(
        red,
        worse=MetricVerdict.WORSE_HERE in rest,
        unsure=MetricVerdict.CANNOT_TELL in rest,
        large=not red and any(each.is_large_fall for each in figures),
        held=tuple(i for i, each in enumerate(verdicts) if each is MetricVerdict.HELD),
        runs=last.block.k,
    )


def _figures(scores: Floats, metric: int, gate: Gate, look: Look, seed: int) -> Figures:
    """Return what is known of one metric."""
    block = look.block
    moves = block.differences[:, metric]
    change = float(moves.mean())
    p_here = 1.0
    if -change >= WORSE_HERE - SLACK:
        p_here = float(step_down(relabel([block], seed=seed, draws=gate.draws))[metric])
    noise = measure_noise(scores[:, : gate.base, metric])
    seen = noise.as_seen(moves, baseline_runs=gate.base, candidate_runs=block.k)
    moments = Moments(seen, gate.base, block.k)
    figures = Figures(
        change=change,
        units=len(scores),
        p=float(look.p[metric]),
        p_up=1.0,
        p_here=p_here,
        level=look.level,
        interval=(0.0, 0.0),
        allowed=gate.allowed,
        excluded=moments.excludes(CARE, change, len(scores)),
    )
    if figures.p <= SUSPICIOUS and change < 0:
        figures = replace(figures, breaks=shows(scores, metric, gate, noise))
    return figures


def shows(scores: Floats, metric: int, gate: Gate, noise: Noise) -> float | None:
    """Return the smallest drop of one metric that a report prints with this noise."""
    return visible_drop(gate.design(scores, metric), len(scores), noise)
