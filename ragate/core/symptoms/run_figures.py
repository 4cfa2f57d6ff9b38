"""The figures of a whole run that symptoms are read from."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from math import nan
from typing import NamedTuple

from ragate.core.diagnosis.system_changes import SystemChanges
from ragate.core.symptoms.advice import advice_by_cause, advice_for
from ragate.core.symptoms.metric_readings import LOST, metric_readings
from ragate.models import CauseKind, MetricRow, SampleRow

_HIGH = 0.8
_ALL_LOW = 0.5
_RISE = 0.02
_MANY_UNSCORED = 0.05
_MANY_FLIPS = 5
_MOST_FLIPS = 0.5
# What a system does by itself from run to run, so that only a proven loss makes it a symptom.
_NOISY = frozenset({CauseKind.RETRIEVAL, CauseKind.GENERATION, CauseKind.JUDGE})
_OF_ANSWERS = ("faithful", "relevant", "correct")
_CITATIONS = ("citation_validity", "citation_support", "citation_coverage")


class Flips(NamedTuple):
    """Where most of the samples that got worse were lost."""

    lost: int
    worse: int
    kind: str
    likely_cause: str
    action: str


class RunFigures:
    """What was measured of a run, and what differs from the baseline's.

    Attributes:
        rows: By metric name without its cut-off; the first of each name counts.
        readings: By name of the family, those that were measured; see `metric_readings`.
        advice: What to say of whatever writes the answers.
    """

    def __init__(
        self, rows: Sequence[MetricRow], samples: Sequence[SampleRow], changes: SystemChanges
    ) -> None:
        self.changes = changes
        self.rows = {row.metric.partition("@")[0]: row for row in reversed(rows)}
        self.advice = advice_for(
            has_model=changes.has_model, keys=changes.keys, answered=_answered(samples)
        )
        self._all_rows, self._samples = rows, samples
        self.readings = metric_readings(self.rows)

    def low(self, family: str) -> bool:
        """Return True where the mean is below the family's limit, or fell."""
        return family in self.readings and self.readings[family].low

    def high(self, family: str) -> bool:
        """Return True where the mean did not fall and leaves little to wish for."""
        reading = self.readings.get(family)
        return reading is not None and not reading.fell and reading.mean >= _HIGH

    def right(self, family: str) -> bool:
        """Return True where the family was measured and is not low."""
        return family in self.readings and not self.readings[family].low

    def value(self, metric: str) -> float:
        """Return the mean, NaN where there is none."""
        row = self.rows.get(metric)
        return nan if row is None or row.candidate is None else row.candidate

    def change(self, metric: str) -> float:
        """Return the change of the mean, NaN where it is not known."""
        row = self.rows.get(metric)
        return nan if row is None or row.change is None else row.change

    @property
    def lost(self) -> bool:
        """Whether more got worse than luck explains: single answers change from run to run."""
        return any(
            row.verdict in LOST or (row.exact and row.worse > row.better) for row in self._all_rows
        )

    @property
    def all_low(self) -> bool:
        """Whether retrieval and at least two answer metrics are below half."""
        answers = [self.readings[name] for name in _OF_ANSWERS if name in self.readings]
        if "hits" not in self.readings or len(answers) < len(_OF_ANSWERS) - 1:
            return False
        return all(reading.mean < _ALL_LOW for reading in (self.readings["hits"], *answers))

    @property
    def fallen_citations(self) -> str:
        fallen = [name for name in _CITATIONS if self.change(name) <= -_RISE]
        return "; ".join(f"{self.rows[name].metric} {self.change(name):+.3f}" for name in fallen)

    @cached_property
    def unscored(self) -> list[MetricRow]:
        """The metrics of which too much was not measured."""
        return [
            row
            for row in self._all_rows
            if row.unscored_candidate
            and row.unscored_candidate / (row.n + row.unscored_candidate) > _MANY_UNSCORED
        ]

    @property
    def unscored_words(self) -> str:
        return "; ".join(
            f"{row.metric} unscored on {row.unscored_candidate} of {row.n + row.unscored_candidate}"
            for row in self.unscored
        )

    @property
    def unscored_reason(self) -> str:
        """The most frequent reason of the first metric that has one."""
        counts = (row.unscored_reasons for row in self.unscored)
        reasons = (max(each, key=each.__getitem__, default="") for each in counts)
        return next(filter(None, reasons), "the scorer gave no score")

    @cached_property
    def flips(self) -> Flips | None:
        """Where most of the worse samples were lost; None where no cause explains most of them."""
        worse = [
            row.cause.kind
            for row in self._samples
            if row.cause and row.change in ("worse", "mixed", "failed")
        ]
        if len(worse) < _MANY_FLIPS:
            return None
        kind, count = Counter(worse).most_common(1)[0]
        advice = advice_by_cause(self.advice).get(kind)
        if advice is None or count <= _MOST_FLIPS * len(worse):
            return None
        if kind in _NOISY and not self.lost:
            return None
        return Flips(count, len(worse), kind.value, *advice)


def _answered(samples: Sequence[SampleRow]) -> bool:
    """Whether answers come back; so it is taken where no output is shown."""
    shown = [row.candidate for row in samples if row.candidate is not None]
    return not shown or any(side.answer is not None for side in shown)
