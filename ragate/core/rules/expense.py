"""Tokens and dollars: red when a change is proven to take more than the rule allows.

What an answer takes has no best or worst value, so it is no part of the family of quality metrics:
it is held against its own earlier figure, sample by sample, as a share of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row
from ragate.core.rules.not_comparable import unusable
from ragate.core.rules.wording import count, number
from ragate.core.statistics.quantiles import t_quantile
from ragate.core.statistics.score_columns import SLACK, Floats, row_means
from ragate.models import DecisionSettings, MetricRow, MetricVerdict

BEYOND = 1e6  # times the most that any sample took: more than any proof needs


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


def decide_expense(
    case: MetricCase, comparison: Comparison, settings: DecisionSettings
) -> RuleOutcome:
    """Judge one such metric by ``max_increase``; without that key it is shown only."""
    refused = unusable(case, comparison, settings.max_unscored)
    if refused is not None:
        return refused
    assert case.column is not None
    before = row_means(case.column.baseline.values[case.counted])
    after = row_means(case.column.candidate.values[case.counted])
    both = np.isfinite(before) & np.isfinite(after)
    if not both.any() or not before[both].sum() > 0:
        reason = f"{case.name} has no value on both sides"
        row = blank_row(case, MetricVerdict.NOT_MEASURED, reason)
        return RuleOutcome(row, undecided=(row.reason,) if case.gates else ())
    every = None if comparison.clusters is None else comparison.clusters[case.counted]
    clusters = None if every is None else every[both]
    limit = case.rule.max_increase
    found = increase(before[both], after[both], limit or 0.0, settings.alpha, clusters=clusters)
    row = _row(case, before[both], after[both], found, limit)
    if not case.gates:
        return RuleOutcome(row)
    hidden = 0
    if limit is not None and _can_hide(before, after, limit, settings.alpha, clusters=every):
        hidden = int((np.isfinite(before) & ~both).sum())
    return _outcome(row, found, settings.alpha, hidden)


def _outcome(row: MetricRow, found: Increase, alpha: float, hidden: int) -> RuleOutcome:
    """Say what the row means for the gate.

    Args:
        hidden: Samples whose missing figures could have made it red.
    """
    if row.verdict is MetricVerdict.REGRESSED:
        return RuleOutcome(row.model_copy(update={"blocks": True}), red=(row.reason,))
    if hidden:
        reason = f"{row.metric}: {count(hidden, 'unscored sample')} could hide a rise that is red"
        return RuleOutcome(row, undecided=(reason,))
    if row.verdict is not MetricVerdict.CANNOT_TELL:
        return RuleOutcome(row)
    if not _can_prove(found.units, alpha):  # no gate: it could not be red
        return RuleOutcome(row, undecided=(f"{row.reason}: so few prove nothing",))
    return RuleOutcome(row, warnings=(row.reason,))


def _can_hide(
    before: Floats,
    after: Floats,
    limit: float,
    alpha: float,
    *,
    clusters: np.ndarray[tuple[int], np.dtype[np.intp]] | None,
) -> bool:
    """Whether what the candidate did not tell of some samples could be a proven rise.

    There is no worst value. So they are taken to be as much as the most that any sample took, and
    as more than any proof needs: the one stands out less from the rest, the other weighs more. What
    the baseline lacks, no change has lost.

    Args:
        before, after: (samples,) means of each side; NaN where there is no figure.
    """
    known = np.isfinite(before)
    lost = known & ~np.isfinite(after)
    if not lost.any():
        return False
    most = max(float(before[known].max()), float(np.nanmax(after)))
    groups = None if clusters is None else clusters[known]
    return any(
        increase(
            before[known], np.where(lost, fill, after)[known], limit, alpha, clusters=groups
        ).above
        for fill in (most, BEYOND * most)
    )


def increase(
    before: Floats,
    after: Floats,
    limit: float,
    alpha: float,
    *,
    clusters: np.ndarray[tuple[int], np.dtype[np.intp]] | None = None,
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


def _by_cluster(
    values: Floats, clusters: np.ndarray[tuple[int], np.dtype[np.intp]] | None
) -> Floats:
    if clusters is None:
        return values
    _, place = np.unique(clusters, return_inverse=True)  # a cluster without a sample is none
    return np.bincount(place, weights=values).astype(np.float64)


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


def _row(
    case: MetricCase, before: Floats, after: Floats, found: Increase, limit: float | None
) -> MetricRow:
    then, now = float(before.mean()), float(after.mean())
    verdict = _verdict(before, after, found, limit)
    allowed = None if limit is None else limit * then
    return blank_row(case, verdict, _reason(case, found, limit, verdict)).model_copy(
        update={
            "n": len(before),
            "baseline": then,
            "candidate": now,
            "change": now - then,
            "better": int((after < before - SLACK).sum()),
            "worse": int((after > before + SLACK).sum()),
            "limit": allowed,
            "allowed": allowed,
            "mde_note": "held against its own earlier figure, outside the family",
        }
    )


def _verdict(before: Floats, after: Floats, found: Increase, limit: float | None) -> MetricVerdict:
    if np.allclose(before, after, rtol=0, atol=SLACK):
        return MetricVerdict.UNCHANGED
    if limit is None:
        return MetricVerdict.SHOWN
    if found.below:
        return MetricVerdict.IMPROVED
    if found.share <= limit + SLACK:
        return MetricVerdict.HELD
    return MetricVerdict.REGRESSED if found.above else MetricVerdict.CANNOT_TELL


def _reason(case: MetricCase, found: Increase, limit: float | None, verdict: MetricVerdict) -> str:
    if verdict is MetricVerdict.UNCHANGED:
        return "no sample takes more or less"
    said = f"{case.name}: {found.share:+.1%}"
    if limit is None:
        return f"{said}; shown only: no max_increase is set"
    said = f"{said}; {number(100 * limit).rstrip('0').rstrip('.')} % more is allowed"
    if verdict is MetricVerdict.CANNOT_TELL:
        return f"{said}; not proven by these {found.units}"
    return said
