"""Which metrics two sides hold, and what each is: its direction, its range, its version."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragate.core.hashing import digest
from ragate.core.statistics.score_columns import Floats
from ragate.core.text.wording import listed
from ragate.errors import UsageError
from ragate.models import Direction, MetricInfo, Needs
from ragate.scores.did_not_run import direction_by_flags, marks_of_absence
from ragate.scores.formats import FORMATS
from ragate.scores.known_metrics import known, plain_name
from ragate.scores.score_table import ScoreTable
from ragate.settings import nearest

MOST_METRICS = 20
_GRADES, _SEVERITY = (1.0, 5.0), (0.0, 7.0)  # of Azure's evaluators of quality, and of safety
_HARMS = frozenset({"violence", "sexual", "self_harm", "hate_unfairness"})
_EXACT = frozenset({"junit", "lm-eval"})  # tools that ask no judge


@dataclass(frozen=True)
class Said:
    """What somebody says of the metrics beside the files.

    Attributes:
        metrics: Those that count; () for all.
        directions: By metric. ranges: By metric, its lowest and highest value.
    """

    metrics: tuple[str, ...] = ()
    directions: Mapping[str, Direction] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def chosen_metrics(tables: Sequence[ScoreTable], said: Said) -> list[str]:
    """Return the metrics that count.

    Raises:
        UsageError: one that was named is nowhere; or there are too many to test them all.
    """
    names = sorted({name for table in tables for name in table.columns})
    for name in (*said.metrics, *said.directions, *said.ranges):
        if name not in names:
            raise UsageError(
                f"no metric {name!r} in these files{nearest(name, names)}",
                remedy=f"they hold {listed(names, most=MOST_METRICS)}",
            )
    if said.metrics:
        return list(dict.fromkeys(said.metrics))
    if len(names) > MOST_METRICS:
        raise UsageError(
            f"{len(names)} metrics, and {MOST_METRICS} are the most that are tested together: "
            f"{listed(names, most=100)}",
            remedy="choose those that a change must not make worse: --metric NAME, several times",
        )
    return names


def infos_of(
    tables: Sequence[ScoreTable], names: Sequence[str], said: Said
) -> dict[str, MetricInfo]:
    """Return what each metric is.

    Args:
        tables: The baseline first: its values tell the range of a metric that nobody tells.

    Raises:
        UsageError: which way is good is not known of a metric.
    """
    directions = {name: _direction(tables, name, said) for name in names}
    unknown = [name for name, direction in directions.items() if direction is None]
    if unknown:
        first = shlex.quote(unknown[0])
        raise UsageError(
            f"is higher better, or lower? Nothing says so of {listed(unknown, most=10)}",
            remedy=f"say it: --higher-is-better {first}, or --lower-is-better {first}",
        )
    return {
        name: _info(tables, name, direction, said)
        for name, direction in directions.items()
        if direction is not None
    }


def _direction(tables: Sequence[ScoreTable], name: str, said: Said) -> Direction | None:
    if name in said.directions:
        return said.directions[name]
    for table in tables:
        if name in table.columns and (shown := direction_by_flags(table, name)) is not None:
            return shown
    if (told := known(name)) is not None:
        return told.direction
    return Direction.HIGHER if FORMATS[tables[0].facts.reader].higher else None


def _info(tables: Sequence[ScoreTable], name: str, direction: Direction, said: Said) -> MetricInfo:
    low, high = said.ranges.get(name) or _range(tables, name)
    reader = tables[0].facts.reader
    return MetricInfo(
        name=name,
        direction=direction,
        low=low,
        high=high,
        needs=Needs.NOTHING if reader in _EXACT else Needs.JUDGE,
        unit="fraction" if (low, high) == (0.0, 1.0) else "grade",
        fingerprint=digest([reader, direction.value]),
    )


def _range(tables: Sequence[ScoreTable], name: str) -> tuple[float, float | None]:
    """Return the range that the first side with values shows; no high end where it shows none."""
    told = known(name)
    first = next((values for table in tables if len(values := _finite(table, name))), None)
    if first is None:
        return 0.0, 1.0
    low, high = float(first.min()), float(first.max())
    if tables[0].facts.reader == "azure" and plain_name(name) in _HARMS:
        return _SEVERITY
    if low >= 0 and high <= 1 and not (told is not None and told.unbounded):
        return 0.0, 1.0
    if tables[0].facts.reader == "azure" and _GRADES[0] <= low and high <= _GRADES[1]:
        return _GRADES
    lowest = min(float(values.min()) for t in tables if len(values := _finite(t, name)))
    return min(0.0, lowest), None


def _finite(table: ScoreTable, name: str) -> Floats:
    """Return the scores of a metric that were measured."""
    column = table.columns.get(name)
    if column is None:
        return np.zeros(0)
    return column[np.isfinite(column) & ~marks_of_absence(name, column)]
