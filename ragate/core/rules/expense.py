"""Tokens and dollars: red when a change is proven to take more than the rule allows.

What an answer takes has no best or worst value, so it is no part of the family of quality metrics:
it is held against its own earlier figure, sample by sample, as a share of it.
"""

import math
from dataclasses import dataclass

import numpy as np

from ragate.core.rules.metric_case import (
    MetricCase,
    RuleOutcome,
    blank_row,
    settled,
    without_value,
)
from ragate.core.rules.not_comparable import decide_unusable
from ragate.core.statistics.quantiles import t_quantile
from ragate.core.statistics.score_columns import SLACK, Floats, Ints, row_means, sums_by_unit
from ragate.core.text.wording import number
from ragate.models import DecisionSettings, MetricRow, MetricVerdict


@dataclass(frozen=True)
class Increase:
    """How much more is taken than before.

    Attributes:
        share: Of the earlier figure, 0.1 for a tenth more; negative where less is taken.
        above, below: Whether it is proven to lie above the limit, and below nothing.
        units: Samples, or clusters of them, that the proof rests on.
    """

    share: float
    above: bool
    below: bool
    units: int


def decide_expense(case: MetricCase, settings: DecisionSettings) -> RuleOutcome:
    """Decide on one such metric by ``max_increase``; without that key it is shown only."""
    refused = decide_unusable(case, settings.max_unscored)
    if refused is not None:
        return refused
    rows, limit = case.compared, case.rule.max_increase
    before = row_means(case.scores.baseline.values[rows])
    after = row_means(case.scores.candidate.values[rows])
    if not before.sum() > 0:
        return without_value(case)
    clusters = case.comparison.clusters
    clusters = None if clusters is None else clusters[rows]
    rise = increase(before, after, limit or 0.0, settings.alpha, clusters=clusters)
    row = _row(case, before, after, rise)
    if (outcome := settled(case, row)) is not None:
        return outcome
    if row.verdict is not MetricVerdict.CANNOT_TELL:
        return RuleOutcome(row)
    if not _can_prove(rise.units, settings.alpha):  # no gate: it could not be red
        return RuleOutcome(row, undecided=(f"{row.reason}: so few prove nothing",))
    return RuleOutcome(row, warnings=(row.reason,))


def increase(
    before: Floats,
    after: Floats,
    limit: float,
    alpha: float,
    *,
    clusters: Ints | None = None,
) -> Increase:
    """Return the increase of the total, and what is proven of it at `alpha`, one-sided.

    Args:
        before, after: (samples,) means over the runs of each side, in own units.
        limit: The allowed increase, as a share.
        clusters: (samples,) numbers of samples that stand or fall together.
    """
    share = float(after.sum() / before.sum()) - 1
    beyond = _by_cluster(after - (1 + limit) * before, clusters)
    less = _by_cluster(before - after, clusters)
    return Increase(
        share, above=_proven(beyond, alpha), below=_proven(less, alpha), units=len(beyond)
    )


def _by_cluster(values: Floats, clusters: Ints | None) -> Floats:
    if clusters is None:
        return values
    # A cluster without a sample is none.
    return sums_by_unit(values, np.unique(clusters, return_inverse=True)[1])


def _proven(values: Floats, alpha: float) -> bool:
    """Whether the mean is above 0: by Student's t, and by enough values for any proof at all."""
    n = len(values)
    if not _can_prove(n, alpha):
        return False
    mean, spread = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n)
    return mean > SLACK and mean >= t_quantile(1 - alpha, n - 1) * spread


def _can_prove(n: int, alpha: float) -> bool:
    """Whether so many values that all rise would be rarer than `alpha` by luck."""
    return 0.5 * 2.0**-n <= alpha


def _row(case: MetricCase, before: Floats, after: Floats, rise: Increase) -> MetricRow:
    old, new, limit = float(before.mean()), float(after.mean()), case.rule.max_increase
    verdict = _verdict(before, after, rise, limit)
    allowed = None if limit is None else limit * old
    return blank_row(case, verdict, _reason(case, rise, verdict)).amended(
        n=len(before),
        baseline=old,
        candidate=new,
        change=new - old,
        better=int((after < before - SLACK).sum()),
        worse=int((after > before + SLACK).sum()),
        limit=allowed,
        allowed=allowed,
        mde_note="held against its own earlier figure, outside the family",
    )


def _verdict(before: Floats, after: Floats, rise: Increase, limit: float | None) -> MetricVerdict:
    if np.allclose(before, after, rtol=0, atol=SLACK):
        return MetricVerdict.UNCHANGED
    if limit is None:
        return MetricVerdict.SHOWN
    if rise.below:
        return MetricVerdict.IMPROVED
    if rise.share <= limit + SLACK:
        return MetricVerdict.HELD
    return MetricVerdict.REGRESSED if rise.above else MetricVerdict.CANNOT_TELL


def _reason(case: MetricCase, rise: Increase, verdict: MetricVerdict) -> str:
    if verdict is MetricVerdict.UNCHANGED:
        return "no sample takes more or less"
    limit = case.rule.max_increase
    reason = f"{case.name}: {rise.share:+.1%}"
    if limit is None:
        return f"{reason}; shown only: no max_increase is set"
    reason = f"{reason}; {number(100 * limit).rstrip('0').rstrip('.')} % more is allowed"
    if verdict is MetricVerdict.CANNOT_TELL:
        return f"{reason}; not proven by these {rise.units}"
    return reason
