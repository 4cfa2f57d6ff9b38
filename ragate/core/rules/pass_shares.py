"""The share of samples that reach a metric's pass mark, beside its mean."""

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.pass_columns import pass_column
from ragate.core.rules.metric_case import MetricCase
from ragate.core.statistics.interval import mean_bound
from ragate.core.statistics.score_columns import Column, Floats, row_means
from ragate.models import PassShare

ERROR = 0.05


def pass_share(case: MetricCase, comparison: Comparison) -> PassShare | None:
    """Return the share on both sides, None for a metric without a pass mark.

    Over the samples with a value on both sides; where nothing is compared, over all that were run.
    Of several runs a sample counts with the share of its runs that passed, so the interval, which
    takes samples for yes or no, is never too narrow.
    """
    mark = case.rule.pass_at
    if mark is None or case.column is None:
        return None
    return share_of(case, pass_column(case.column, mark, comparison.unaffected), mark)


def share_of(case: MetricCase, rated: Column, mark: float) -> PassShare:
    """Return the share over the samples that count for `case`.

    Args:
        rated: The column of passes and failures of its metric.
    """
    before, after = _shares(case, rated)
    baseline = float(before.mean()) if len(before) else None
    if not len(after):
        return PassShare(mark=mark, n=0, baseline=baseline)
    low, high = (mean_bound(after, ERROR / 2, upper=upper, binary=True) for upper in (False, True))
    return PassShare(
        mark=mark,
        n=len(after),
        baseline=baseline,
        candidate=float(after.mean()),
        interval=(max(low, 0.0), min(high, 1.0)),
    )


def _shares(case: MetricCase, rated: Column) -> tuple[Floats, Floats]:
    """Return (samples,) shares of the runs that passed, before and after."""
    before = row_means(rated.baseline.values[case.counted])
    after = row_means(rated.candidate.values[case.counted])
    both = np.isfinite(before) & np.isfinite(after)
    if both.any() and not rated.problem:
        return before[both], after[both]
    after = np.concatenate([after, row_means(rated.added.values[case.counted_added])])
    return before[:0], after[np.isfinite(after)]
