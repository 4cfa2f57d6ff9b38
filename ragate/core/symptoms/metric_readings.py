"""Metrics read as symptoms: one scale from 0 (worst) to 1 (best), and whether they fell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragate.core.symptoms.advice import MODEL, Advice
from ragate.models import Direction, MetricRow, MetricVerdict

FALL = 0.05
LOST = frozenset({MetricVerdict.REGRESSED, MetricVerdict.WORSE_HERE})
_GRADE_STEPS = 4.0  # from 1 to 5


class Reading(NamedTuple):
    """One metric's mean on a scale where 0 is worst and 1 best, and whether it fell."""

    row: MetricRow
    mean: float
    fell: bool

    @property
    def shown(self) -> str:
        row = self.row
        words = f"{row.metric} is {row.candidate:.3f}"
        return f"{words}, {row.change:+.3f}" if self.fell and row.change is not None else words


class Readings:
    """The first measured metric of each family.

    Attributes:
        advice: What to say of whatever writes the answers.
    """

    def __init__(self, rows: Sequence[MetricRow], advice: Advice = MODEL) -> None:
        self.advice = advice
        self.rows = {row.metric.partition("@")[0]: row for row in reversed(rows)}

    def of(self, names: Sequence[str]) -> Reading | None:
        for name in names:
            row = self.rows.get(name)
            if row is not None and row.candidate is not None:
                return Reading(row, _scaled(row, row.candidate), _fell(row))
        return None


def _scaled(row: MetricRow, value: float) -> float:
    scaled = (value - 1) / _GRADE_STEPS if row.unit == "grade" else value
    return 1 - scaled if row.direction is Direction.LOWER else scaled


def _fell(row: MetricRow) -> bool:
    if row.verdict in LOST:
        return True
    if row.baseline is None or row.candidate is None or not row.exact:
        return False
    return _scaled(row, row.baseline) - _scaled(row, row.candidate) >= FALL
