"""A metric whose scores an evaluator gave: they stand in the output, and nothing is computed."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.models import (
    Direction,
    Frozen,
    MetricInfo,
    Sample,
    Score,
    SystemOutput,
    not_applicable,
    unscored,
)
from ragate.scores.known_metrics import known
from ragate.settings import read_settings

NO_SCORE = "the evaluator gave no such score"


class ReportedSettings(Frozen):
    """Keys of a metric of `[system] use = "scores"`, beside those of every metric.

    Attributes:
        direction: Which way is good; empty: as is known of the name.
        range: Lowest and highest value.
    """

    direction: Literal["", "higher", "lower"] = ""
    range: tuple[float, float] = (0.0, 1.0)


class ReportedMetric:
    """What an evaluator says of each sample under one name."""

    def __init__(self, name: str, settings: Mapping[str, Any], where: str) -> None:
        own = read_settings(ReportedSettings, settings, where=where, strict=True)
        low, high = own.range
        if not low < high:
            raise ConfigError(f"{where}: range = [{low:g}, {high:g}]: the lowest stands first")
        self.state: dict[str, float] = {}
        self._judges: set[str] = set()
        self._info = MetricInfo(
            name=name,
            direction=_direction(name, own, where),
            low=low,
            high=high,
            unit="fraction" if own.range == (0.0, 1.0) else "grade",
        )

    @property
    def info(self) -> MetricInfo:
        """Return what it is, judge and version of the evaluator included, once these are seen."""
        parts = [self._info.direction.value, self._info.low, self._info.high]
        return self._info.amended(fingerprint=digest([*parts, *sorted(self._judges)]))

    def saw(self, judge: str) -> None:
        """Note who judged; "" is nobody that is known."""
        if judge:
            self._judges.add(judge)

    def score_samples(self, pairs: Sequence[tuple[Sample, SystemOutput]]) -> list[Score]:
        """Return the scores that stand in the outputs."""
        return [self._score(output) for _, output in pairs]

    def _score(self, output: SystemOutput) -> Score:
        name = self._info.name
        reported = (output.reported or {}).get(name)
        if reported is None:
            return unscored(name, output.error.message if output.error else NO_SCORE)
        self.saw(reported.judge)
        if reported.value is not None:
            return Score(name, reported.value, reason=reported.reason)
        return (not_applicable if reported.silent else unscored)(name, reported.reason)


def _direction(name: str, own: ReportedSettings, where: str) -> Direction:
    if own.direction:
        return Direction(own.direction)
    if (told := known(name)) is not None:
        return told.direction
    raise ConfigError(
        f"{where}: is higher better, or lower? Nothing says so of this name",
        remedy='write direction = "higher", or direction = "lower"',
    )
