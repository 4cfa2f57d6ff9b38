"""What is missing at its worst: the guard against a drop that hides among unscored samples."""

from dataclasses import replace

import numpy as np

from ragate.core.statistics.score_columns import Column, Mask, row_means
from ragate.models import Direction


def with_worst(column: Column, counted: Mask) -> Column | None:
    """Fill what is missing: the candidate with the worst value, the baseline with its mean.

    Args:
        counted: (samples,) those that count.

    Returns:
        None where nothing is missing.
    """
    missing_before = column.baseline.unscored & counted[:, None]
    missing_after = column.candidate.unscored & counted[:, None]
    if not (missing_before.any() or missing_after.any()):
        return None
    rows = row_means(column.baseline.values)
    scored = rows[np.isfinite(rows) & counted]
    overall = float(scored.mean()) if len(scored) else worst_value(column)
    means = np.where(np.isfinite(rows), rows, overall)[:, None]
    before = np.where(missing_before, means, column.baseline.values)
    after = np.where(missing_after, worst_value(column), column.candidate.values)
    return replace(
        column,
        baseline=replace(column.baseline, values=before),
        candidate=replace(column.candidate, values=after),
    )


def worst_value(column: Column) -> float:
    """Return the worst possible value in the metric's own unit."""
    return column.low if column.info.direction is Direction.HIGHER else column.low + column.span
