"""Metrics read as symptoms: one scale from 0 (worst) to 1 (best), and what is low or fell."""

from collections.abc import Mapping
from typing import NamedTuple

from ragate.models import Direction, MetricRow, MetricVerdict

LOST = frozenset({MetricVerdict.REGRESSED, MetricVerdict.WORSE_HERE})
_FALL = 0.05
_GRADE_STEPS = 4.0  # from 1 to 5


class MetricFamily(NamedTuple):
    """Metrics that say the same of a run: the first that was measured is read.

    Attributes:
        limit: A mean below it is low, on a scale from 0 (worst) to 1 (best).
    """

    metrics: tuple[str, ...]
    limit: float


FAMILIES = {
    "hits": MetricFamily(("hit_rate", "recall"), 0.5),
    "ranks": MetricFamily(("mrr", "ndcg", "map"), 0.5),
    "faithful": MetricFamily(("faithfulness", "faithfulness_binary", "lexical_support"), 0.7),
    "numbers": MetricFamily(("unsupported_numbers",), 0.7),
    "relevant": MetricFamily(("relevancy", "answer_relevancy"), 0.7),
    "correct": MetricFamily(("correctness", "correctness_binary"), 0.6),
    # Words of the reference: their level says little, for a right answer may use its own words.
    "overlap": MetricFamily(("idf_f1", "token_f1", "rouge_l"), 0.0),
}


class Reading(NamedTuple):
    """One metric's mean on a scale where 0 is worst and 1 best, and whether it is low or fell."""

    row: MetricRow
    mean: float
    fell: bool
    low: bool

    @property
    def words(self) -> str:
        row = self.row
        words = f"{row.metric} is {row.candidate:.3f}"
        return f"{words}, {row.change:+.3f}" if self.fell and row.change is not None else words


def metric_readings(rows: Mapping[str, MetricRow]) -> dict[str, Reading]:
    """Return the reading of each family that was measured.

    Under "grounding" stands what is low of the two: faithfulness, or numbers that no context holds.
    """
    readings = {name: _read(rows, family) for name, family in FAMILIES.items()}
    faithful, numbers = readings["faithful"], readings["numbers"]
    made_up = numbers and numbers.low and not (faithful and faithful.low)
    readings["grounding"] = numbers if made_up else faithful
    return {name: reading for name, reading in readings.items() if reading}


def _read(rows: Mapping[str, MetricRow], family: MetricFamily) -> Reading | None:
    for name in family.metrics:
        row = rows.get(name)
        if row is not None and row.candidate is not None:
            mean, fell = _scaled(row, row.candidate), _fell(row)
            return Reading(row, mean, fell, low=fell or mean < family.limit)
    return None


def _scaled(row: MetricRow, value: float) -> float:
    scaled = (value - 1) / _GRADE_STEPS if row.unit == "grade" else value
    return 1 - scaled if row.direction is Direction.LOWER else scaled


def _fell(row: MetricRow) -> bool:
    if row.verdict in LOST:
        return True
    if row.baseline is None or row.candidate is None or not row.exact:
        return False
    return _scaled(row, row.baseline) - _scaled(row, row.candidate) >= _FALL
