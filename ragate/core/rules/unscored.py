"""What a candidate could not be scored on: bad luck as the baseline had it, or more than that.

A change must not pass by failing where it would be wrong. So what it lost beyond the baseline's
share counts at its worst in a second reading of the same tests, and where that one is red there is
no decision. Who says that it was an outage plays no part: both are the change's to choose.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.statistics.must_pass_odds import log_beta
from ragate.core.statistics.score_columns import SLACK, Column, Mask, row_means
from ragate.core.text.wording import count
from ragate.models import MetricVerdict

MOST_USUAL = 0.2  # of a handful of samples bad luck would explain the loss of half
RARE = 0.0005  # one bound for twenty metrics: fewer have a narrower one
ERROR = 0.01  # how often bad luck loses more than is allowed, in any metric of a family


@dataclass(frozen=True)
class LostScores:
    """The samples of one metric that have no score of the candidate.

    Attributes:
        count: Samples, of several passes their mean, rounded up; of: those that were scored anew.
        most: As many may be lost by bad luck.
        usual: Scores that the baseline's passes lost, and asked for.
        hides: Drop of the mean, as a share of the range, if every lost one were at its worst.
    """

    count: int
    of: int
    most: int
    usual: tuple[int, int]
    hides: float

    @property
    def is_unusual(self) -> bool:
        """Whether bad luck does not explain it."""
        return self.count > self.most


def hold_back_lost(case: MetricCase, outcome: RuleOutcome, *, error: float) -> RuleOutcome:
    """Leave a metric undecided that lost more than bad luck explains.

    What is red stays red, unless it is what should confirm it that was lost.

    Args:
        error: How often bad luck may lose more.
    """
    if not is_held(case) or outcome.undecided:
        return outcome
    lost = lost_scores(case, error=error, first_pass=1 if outcome.red else 0)
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


def is_held(case: MetricCase) -> bool:
    """Whether a case gates on scores that can be lost."""
    return case.gates and case.column is not None and not case.column.problem


def error_of(cases: Sequence[MetricCase]) -> float:
    """Return how often bad luck may lose too much of one metric: a family shares one error."""
    return ERROR / max(1, sum(map(is_held, cases)))


def at_worst(case: MetricCase) -> MetricCase:
    """Return the case with nothing missing that the baseline has: itself where nothing is.

    What was lost beyond the baseline's share counts as the worst of the range, and the rest of it
    keeps its earlier mean.
    """
    column = case.scores
    before = row_means(column.baseline.values)
    anew = case.counted & ~case.comparison.unaffected & np.isfinite(before)
    missing = np.isnan(column.candidate.values) & anew[:, None]
    if not missing.any():
        return case
    values = np.where(missing, before[:, None], column.candidate.values)
    values[beyond_usual(case)] = column.unit(0.0)
    return replace(case, column=replace(column, candidate=replace(column.candidate, values=values)))


def beyond_usual(case: MetricCase) -> Mask:
    """Return (samples, passes): True for what a pass lost beyond what one of the baseline loses.

    The samples that were best before are taken first.
    """
    column = case.scores
    before = column.scaled(row_means(column.baseline.values))
    anew = case.counted & ~case.comparison.unaffected
    usual = _share_lost(column) * int(anew.sum())
    beyond = np.zeros_like(column.candidate.silent)
    for scores, taken in zip(column.candidate.values.T, beyond.T, strict=True):
        lost = np.flatnonzero(np.isnan(scores) & anew)
        best_first = lost[np.argsort(-before[lost], kind="stable")]
        taken[best_first[: max(0, math.ceil(len(lost) - usual - SLACK))]] = True
    return beyond


def _share_lost(column: Column) -> float:
    """Return the share of scores that a pass of the baseline lost.

    A slice is small: how often a score is lost is read off the whole set's baseline.
    """
    recorded = column.recorded.unscored[column.applies]
    return float(recorded.mean()) if recorded.size else 0.0


def hold_back_at_worst(case: MetricCase, outcome: RuleOutcome, worst: RuleOutcome) -> RuleOutcome:
    """Leave a metric undecided that would be red with what was lost at its worst.

    Args:
        worst: What the same rule says then.
    """
    if outcome.red or outcome.undecided or not worst.red:
        return outcome
    lost = lost_scores(case)
    could = f"{lost.count} of {count(lost.of, 'sample')} could not be scored" if lost.count else ""
    beside = could or "a metric beside it could not be scored everywhere"
    reason = f"{case.name}: {beside}; at their worst it would fail: {worst.red[0]}"
    return replace(outcome, undecided=(reason,))


def lost_scores(case: MetricCase, *, error: float = ERROR, first_pass: int = 0) -> LostScores:
    """Return what the candidate lost beside what the baseline's runs make likely.

    Runs are those that the baseline made: one that equals another asked as many questions, and is
    not stored again.

    Args:
        error: How often bad luck may lose more.
        first_pass: Passes before it do not count; of no pass nothing is lost.
    """
    anew = case.counted & ~case.comparison.unaffected
    unscored = case.scores.candidate.unscored[anew][:, first_pass:]
    unasked = np.full(len(unscored), 0.0 if first_pass else 1.0)
    lost = unscored.mean(axis=1) if unscored.shape[1] else unasked
    asked = int(case.scores.applies.sum()) * case.comparison.baseline.repeats
    before_lost = round(_share_lost(case.scores) * asked)
    before = case.scores.scaled(row_means(case.scores.recorded.values))
    could_fall = np.where(np.isfinite(before), before, 1.0)[anew]
    return LostScores(
        count=math.ceil(float(lost.sum()) - 1e-9),
        of=int(anew.sum()),
        most=most_lost(int(anew.sum()), lost=before_lost, runs=asked, error=error),
        usual=(before_lost, asked),
        hides=float((lost * could_fall).sum()) / max(int(case.counted.sum()), 1),
    )


def share_allowed(n: int, *, lost: int, runs: int, max_unscored: float) -> float:
    """Return the share of a candidate's scores beyond which a metric is not measured at all.

    Args:
        lost: Of the baseline's `runs` of samples, those without a score.
        max_unscored: As of the policy.
    """
    rarely = most_lost(n, lost=lost, runs=runs, error=RARE)
    return max(max_unscored, min(rarely / max(n, 1), MOST_USUAL))


def most_lost(n: int, *, lost: int, runs: int, error: float = ERROR) -> int:
    """Return the most of `n` samples that a system loses in all but a share `error` of its runs.

    The chance of losing one is not known, only how many the baseline lost: so the number is that of
    a beta-binomial distribution, of which half a loss more is assumed than was seen.

    Args:
        lost: Of the baseline's `runs` of samples, those without a score.
    """
    a, b = lost + 0.5, runs - lost + 0.5
    chance = math.exp(log_beta(a, b + n) - log_beta(a, b))
    most, total = 0, chance
    while total < 1 - error and most < n:
        chance *= (n - most) / (most + 1) * (a + most) / (b + n - most - 1)
        most += 1
        total += chance
    return most
