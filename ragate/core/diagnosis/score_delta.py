"""How the scores of one sample moved between two sides: means over the runs of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ragate.models import Direction, MetricInfo, Needs, Reads, Record

# A baseline holds six decimals; a smaller difference is the rounding.
SLACK = 1e-6


class Movement(NamedTuple):
    """One metric that moved on one sample.

    Attributes:
        good: The change in the good sense as a share of the metric's range; below 0 is worse.
        reads: What the metric looks at.
        judged: True where a judge or an embedder scores, so that equal outputs can differ.
        comparable: False where the two sides were measured with different yardsticks.
    """

    metric: str
    before: float
    after: float
    good: float
    reads: Reads = Reads.ANSWER
    judged: bool = True
    comparable: bool = True


def means(records: Iterable[Record]) -> dict[str, float]:
    """Return each metric's mean over the runs that have a value; metrics without one are absent."""
    records = list(records)
    if len(records) == 1:
        scores = records[0].scores.items()
        return {name: score.value for name, score in scores if score.value is not None}
    found: dict[str, list[float]] = {}
    for record in records:
        for name, score in record.scores.items():
            if score.value is not None:
                found.setdefault(name, []).append(score.value)
    return {name: sum(values) / len(values) for name, values in found.items()}


def good_change(before: float, after: float, info: MetricInfo | None) -> float:
    """Return the change in the good sense; unbounded metrics are taken relative to their size."""
    change = after - before
    if info is None:
        return change
    if info.direction is Direction.LOWER:
        change = -change
    width = info.high - info.low if info.high is not None else max(abs(before), abs(after))
    return change / width if width > 0 else change


def movements(
    before: Mapping[str, float],
    after: Mapping[str, float],
    metrics: Mapping[str, MetricInfo],
    *,
    incomparable: frozenset[str] = frozenset(),
) -> list[Movement]:
    """Return the metrics with a mean on both sides that differ by more than rounding.

    Metrics in seconds are left out: they differ between any two runs.
    """
    moved = []
    for name, old in before.items():
        new = after.get(name)
        if new is None or abs(new - old) <= SLACK:
            continue
        info = metrics.get(name)
        if info is not None and info.unit == "seconds":
            continue
        moved.append(
            Movement(
                metric=name,
                before=old,
                after=new,
                good=good_change(old, new, info),
                reads=info.reads if info else Reads.ANSWER,
                judged=info is None or info.needs is not Needs.NOTHING,
                comparable=name not in incomparable,
            )
        )
    return moved


def focus(moved: Sequence[Movement]) -> list[Movement]:
    """Return the movements to explain, largest first: what got worse, else what got better.

    Metrics measured with two yardsticks count only where no other moved.
    """
    pool = [one for one in moved if one.comparable] or list(moved)
    chosen = [one for one in pool if one.good < 0] or pool
    return sorted(chosen, key=lambda one: (-abs(one.good), one.metric))
