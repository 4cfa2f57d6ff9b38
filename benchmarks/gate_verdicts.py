"""The decision on plain arrays of scores: both looks, the tests and the verdicts of the package."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.claim_tests import family_p
from benchmarks.gate_model import Floats
from ragate.core.rules.allowance import DEFAULT_ALLOWANCE
from ragate.core.rules.metric_family import GENERALISE, THIS_SET
from ragate.core.rules.noisy.metric_verdict import Figures, verdict_of
from ragate.core.statistics.interval import difference_interval
from ragate.core.statistics.looks import SUSPICIOUS, Stages
from ragate.core.statistics.permutation import Block
from ragate.models import DecisionSettings, MetricVerdict

DRAWS = 999
SETTINGS = DecisionSettings()
SLACK = 1e-9
INTERVALS = 200  # changes whose intervals are computed, for "cannot tell"


@dataclass(frozen=True)
class Outcome:
    """What the gate said of one change.

    Attributes:
        red: Metrics that regressed.
        worse: Whether it is not red, and a metric is worse on this set.
        unsure: Whether it is not red, and of a metric nothing can be told.
        runs: Candidate runs that it took.
    """

    red: tuple[int, ...]
    worse: bool
    unsure: bool
    runs: int

    def is_red(self, metric: int | None = None) -> bool:
        """Return whether this metric regressed, or any."""
        return bool(self.red) if metric is None else metric in self.red


def decide_scores(
    scores: Floats, runs: tuple[int, int], claim: str, *, seed: int, draws: int = DRAWS
) -> Outcome:
    """Decide on scores (samples, runs, metrics) as a pull request would be decided on."""
    base, further = runs[0], runs[1] - 1
    stages = Stages(SETTINGS.alpha, further)
    verdicts, p = _look(scores[:, : base + 1], 1, claim, stages, seed, draws)
    made = 1
    if MetricVerdict.REGRESSED not in verdicts and p <= SUSPICIOUS:
        made = runs[1]
        verdicts, _ = _look(scores, made, claim, stages, seed, draws)
    red = tuple(i for i, each in enumerate(verdicts) if each is MetricVerdict.REGRESSED)
    rest = set(verdicts) if not red else set()
    return Outcome(red, MetricVerdict.WORSE_HERE in rest, MetricVerdict.CANNOT_TELL in rest, made)


def _look(
    scores: Floats, runs: int, claim: str, stages: Stages, seed: int, draws: int
) -> tuple[list[MetricVerdict], float]:
    """Return the verdict of each metric, and the smallest p of the family."""
    block = Block(scores, runs)
    other = THIS_SET if claim == GENERALISE else GENERALISE
    change = block.differences.mean(axis=0)
    p = family_p(block, flips=claim == GENERALISE, seed=seed, draws=draws)
    p_other = np.ones(len(p))
    if (-change >= DEFAULT_ALLOWANCE[other] - SLACK).any():
        p_other = family_p(block, flips=other == GENERALISE, seed=seed, draws=draws)
    verdicts = []
    for metric, moved in enumerate(change):
        lower = -1.0
        if seed < INTERVALS:
            interval = difference_interval(
                block.differences[:, metric], seed=seed, paired_binary=False
            )
            lower = interval.lower(0.05)
        figures = Figures(
            change=float(moved),
            units=len(scores),
            moved=True,
            p=float(p[metric]),
            p_up=1.0,
            p_other=float(p_other[metric]),
            level=stages.level(runs),
            lower=lower,
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
        )
        verdicts.append(verdict_of(figures, SETTINGS))
    return verdicts, float(p.min())
