"""The decision on plain arrays of scores: both looks, the tests and the verdicts of the package."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.claim_tests import family_p
from benchmarks.gate_model import Floats
from ragate.core.rules.metric_family import DEFAULT_ALLOWANCE, GENERALISE, THIS_SET
from ragate.core.rules.noisy.metric_figures import Figures, verdict_of
from ragate.core.rules.noisy.visible_drop import visible_drop
from ragate.core.statistics.drop_moments import Moments
from ragate.core.statistics.joint_noise import joint_noise
from ragate.core.statistics.looks import SUSPICIOUS, Stages
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.permutation import Block
from ragate.core.statistics.power import Design
from ragate.models import DecisionSettings, MetricVerdict

DRAWS = 999
SETTINGS = DecisionSettings()
SLACK = 1e-9


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


def decide_scores(
    scores: Floats, runs: tuple[int, int], claim: str, *, seed: int, draws: int = DRAWS
) -> Outcome:
    """Decide on scores (samples, runs, metrics) as a pull request would be decided on."""
    base, further = runs[0], runs[1] - 1
    stages = Stages(SETTINGS.alpha, further)
    figures = _look(scores[:, : base + 1], 1, claim, stages, seed, draws)
    made = 1
    verdicts = [verdict_of(each, SETTINGS) for each in figures]
    if MetricVerdict.REGRESSED not in verdicts and min(f.p for f in figures) <= SUSPICIOUS:
        made = runs[1]
        figures = _look(scores, made, claim, stages, seed, draws)
        verdicts = [verdict_of(each, SETTINGS) for each in figures]
    red = tuple(i for i, each in enumerate(verdicts) if each is MetricVerdict.REGRESSED)
    rest = set(verdicts) if not red else set()
    return Outcome(
        red,
        worse=MetricVerdict.WORSE_HERE in rest,
        unsure=MetricVerdict.CANNOT_TELL in rest,
        large=not red and any(each.is_large_fall for each in figures),
        held=tuple(i for i, each in enumerate(verdicts) if each is MetricVerdict.HELD),
        runs=made,
    )


def _look(
    scores: Floats, runs: int, claim: str, stages: Stages, seed: int, draws: int
) -> list[Figures]:
    """Return what is known of each metric."""
    block, base = Block(scores, runs), scores.shape[1] - runs
    other = THIS_SET if claim == GENERALISE else GENERALISE
    change = block.differences.mean(axis=0)
    p = family_p(block, flips=claim == GENERALISE, seed=seed, draws=draws)
    p_other = np.ones(len(p))
    if (-change >= DEFAULT_ALLOWANCE[other] - SLACK).any():
        p_other = family_p(block, flips=other == GENERALISE, seed=seed, draws=draws)
    every = []
    for metric, moved in enumerate(change):
        noise = measure_noise(scores[:, :base, metric])
        moves = block.differences[:, metric]
        seen = noise.as_seen(moves, baseline_runs=base, candidate_runs=runs)
        figures = Figures(
            change=float(moved),
            units=len(scores),
            moved=True,
            p=float(p[metric]),
            p_up=1.0,
            p_other=float(p_other[metric]),
            level=stages.level(runs),
            beyond_margin=True,
            before=0.0,
            after=0.0,
            worse=0,
            better=0,
            interval=(0.0, 0.0),
            claim=claim,
            n=len(scores),
            allowed=DEFAULT_ALLOWANCE[claim],
            allowed_other=DEFAULT_ALLOWANCE[other],
            excluded=Moments(seen, base, runs, flips=True).excludes(
                SETTINGS.care, float(moved), len(scores)
            ),
        )
        if figures.p <= SUSPICIOUS and moved < 0:
            figures = replace(figures, breaks=shows(scores, metric, base, claim, noise))
        every.append(figures)
    return every


def shows(scores: Floats, metric: int, base: int, claim: str, noise: Noise) -> float | None:
    """Return the smallest drop of one metric that a report prints with this noise."""
    runs = scores.shape[1] - base
    design = Design(
        joint=joint_noise((Block(scores, runs),))[metric],
        baseline_runs=base,
        confirm=SETTINGS.confirm,
        flips=claim == GENERALISE,
        min_drop=DEFAULT_ALLOWANCE[claim],
    )
    return visible_drop(design, len(scores), noise)
