"""Scores as pass or fail: a metric's pass mark makes a column of ones and zeros of its scores."""

from dataclasses import replace

import numpy as np

from ragate.core.comparison.affected_samples import keep_baseline
from ragate.core.statistics.score_columns import SLACK, Column, Floats, Mask, Side
from ragate.models import Direction, MetricInfo, Reads, pass_name


def passing(info: MetricInfo, mark: float, values: Floats) -> Mask:
    """Return where values reach the mark, in the metric's own unit; what is missing does not."""
    if info.direction is Direction.HIGHER:
        return np.nan_to_num(values, nan=-np.inf) >= mark - SLACK
    return np.nan_to_num(values, nan=np.inf) <= mark + SLACK


def pass_info(info: MetricInfo) -> MetricInfo:
    """Return what is known of a metric's passes: of the same output, 0 or 1, higher is better."""
    return MetricInfo(
        name=pass_name(info.name),
        version=info.version,
        reads=info.reads,
        needs=info.needs,
        fingerprint=info.fingerprint,
    )


def pass_column(column: Column, mark: float, unaffected: Mask) -> Column:
    """Return the column of a metric's passes and failures; what is unscored stays so.

    Args:
        unaffected: (samples,) those that cannot have changed: they hold the share of their baseline
            runs that passed, which the mean of their scores does not tell.
    """

    def side(scores: Side, values: Floats) -> Side:
        marks = passing(column.info, mark, values).astype(np.float64)
        return replace(scores, values=np.where(np.isnan(values), np.nan, marks))

    recorded = column.recorded.values
    passes = replace(
        column,
        info=pass_info(column.info),
        baseline=side(column.baseline, recorded),
        candidate=side(column.candidate, column.candidate.values),
        added=side(column.added, column.added.values),
        recorded=side(column.recorded, recorded),
        low=0.0,
        span=1.0,
    )
    if column.problem or column.info.reads is Reads.RUN:
        return passes
    return keep_baseline(passes, unaffected)
