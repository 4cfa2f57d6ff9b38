"""What a candidate could not be scored on: bad luck as the baseline had it, or more than that."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.statistics.must_pass_odds import log_beta
from ragate.core.statistics.score_columns import row_means
from ragate.core.text.wording import count
from ragate.models import MetricVerdict

QUANTILE = 0.98


@dataclass(frozen=True)
class LostScores:
    """The samples of one metric that have no score of the candidate.

    Attributes:
        count: Samples, of several passes their mean, rounded up; of: those that were scored anew.
        most: As many may be lost by bad luck.
        hides: Drop of the mean, as a share of the range, if every lost one were at its worst.
    """

    count: int
    of: int
    most: int
    hides: float

    @property
    def is_unusual(self) -> bool:
        """Whether bad luck does not explain it."""
        return self.count > self.most

    @property
    def usual(self) -> float:
        """Share of the samples that may be lost by bad luck."""
        return self.most / max(self.of, 1)


def hold_back_lost(case: MetricCase, outcome: RuleOutcome, comparison: Comparison) -> RuleOutcome:
    """Leave a metric undecided that lost more than bad luck explains.

    What is red stays red, unless it is what should confirm it that was lost.
    """
    if not case.gates or case.column is None or case.column.problem or outcome.undecided:
        return outcome
    lost = lost_scores(case, comparison, first_pass=1 if outcome.red else 0)
    if not lost.is_unusual:
        return outcome
    reason = (
        f"{case.name}: {lost.count} of {count(lost.of, 'sample')} could not be scored; after what "
        f"the baseline lost, at most {lost.most} would be bad luck"
    )
    row = outcome.row
    if outcome.red and row is not None:
        row = row.amended(verdict=MetricVerdict.CANNOT_TELL, blocks=False, reason=reason)
    return replace(outcome, row=row, red=(), undecided=(reason,))


def lost_scores(case: MetricCase, comparison: Comparison, *, first_pass: int = 0) -> LostScores:
    """Return what the candidate lost beside what the baseline's runs make likely.

    A slice is small: how often a score is lost is read off the whole set's baseline.

    Args:
        first_pass: Passes before it do not count; of no pass nothing is lost.
    """
    anew = case.counted & ~comparison.unaffected
    unscored = case.scores.candidate.unscored[anew][:, first_pass:]
    unasked = np.full(len(unscored), 0.0 if first_pass else 1.0)
    lost = unscored.mean(axis=1) if unscored.shape[1] else unasked
    recorded = case.scores.recorded.unscored[case.scores.applies]
    before = case.scores.scaled(row_means(case.scores.recorded.values))
    could_fall = np.where(np.isfinite(before), before, 1.0)[anew]
    return LostScores(
        count=math.ceil(float(lost.sum()) - 1e-9),
        of=int(anew.sum()),
        most=most_lost(int(anew.sum()), lost=int(recorded.sum()), runs=recorded.size),
        hides=float((lost * could_fall).sum()) / max(int(case.counted.sum()), 1),
    )


def most_lost(n: int, *, lost: int, runs: int) -> int:
    """Return the most of `n` samples that a system loses in 98 of 100 runs.

    The chance of losing one is not known, only how many the baseline lost: so the number is that of
    a beta-binomial distribution, of which half a loss more is assumed than was seen.

    Args:
        lost: Of the baseline's `runs` of samples, those without a score.
    """
    a, b = lost + 0.5, runs - lost + 0.5
    chance = math.exp(log_beta(a, b + n) - log_beta(a, b))
    most, total = 0, chance
    while total < QUANTILE and most < n:
        chance *= (n - most) / (most + 1) * (a + most) / (b + n - most - 1)
        most += 1
        total += chance
    return most
