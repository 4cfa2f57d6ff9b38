"""How the scores of one sample moved between two sides: means over the runs of each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ragate.models import Direction, MetricInfo, Needs, Reads, Record

# A baseline holds six decimals; a smaller difference is the rounding.
SLACK = 1e-6


class ScoreDelta(NamedTuple):
    """One metric that moved on one sample.

    Attributes:
        gain: The change in the good sense as a share of the metric's range; below 0 is worse.
        reads: What the metric looks at.
        judged: True where a judge or an embedder scores, so that equal outputs can differ.
        comparable: False where the two sides were measured with different yardsticks.
    """

    metric: str
    before: float
    after: float
    gain: float
    reads: Reads = Reads.ANSWER
    judged: bool = True
    comparable: bool = True

    @property
    def words(self) -> str:
        return f"{self.metric} {self.before:.3f} -> {self.after:.3f}"


def values(records: Sequence[Record], metric: str) -> list[float]:
    """Return the values of `metric` in the runs that have one."""
    scores = (record.scores.get(metric) for record in records)
    return [score.value for score in scores if score is not None and score.value is not None]


def apart(old: Sequence[float], new: Sequence[float], *, slack: float = 0.0) -> bool:
    """Return True where all values of one side lie beyond all of the other; False without any."""
    return bool(old and new) and (max(new) < min(old) - slack or min(new) > max(old) + slack)


def means(records: Iterable[Record]) -> dict[str, float]:
    """Return each metric's mean over the runs that have a value; metrics without one are absent."""
    records = list(records)
    if len(records) == 1:
        scores = records[0].scores.items()
        return {name: score.value for name, score in scores if score.value is not None}
    by_metric: dict[str, list[float]] = {}
    for record in records:
        for name, score in record.scores.items():
            if score.value is not None:
                by_metric.setdefault(name, []).append(score.value)
    return {name: sum(values) / len(values) for name, values in by_metric.items()}


def gain(before: float, after: float, info: MetricInfo | None) -> float:
    """Return the change in the good sense; unbounded metrics are taken relative to their size."""
    change = after - before
    if info is None:
        return change
    if info.direction is Direction.LOWER:
        change = -change
    width = info.high - info.low if info.high is not None else max(abs(before), abs(after))
    return change / width if width > 0 else change


def score_deltas(
    before: Mapping[str, float],
    after: Mapping[str, float],
    metrics: Mapping[str, MetricInfo],
    *,
    incomparable: frozenset[str] = frozenset(),
) -> list[ScoreDelta]:
    """Return the metrics with a mean on both sides that differ by more than rounding.

    Metrics in seconds are left out: they differ between any two runs.
    """
    deltas = []
    for name, old in before.items():
        new = after.get(name)
        if new is None or abs(new - old) <= SLACK:
            continue
        info = metrics.get(name)
        if info is not None and info.unit == "seconds":
            continue
        deltas.append(
            ScoreDelta(
                metric=name,
                before=old,
                after=new,
                gain=gain(old, new, info),
                reads=info.reads if info else Reads.ANSWER,
                judged=info is None or info.needs is not Needs.NOTHING,
                comparable=name not in incomparable,
            )
        )
    return deltas


def to_explain(deltas: Sequence[ScoreDelta]) -> list[ScoreDelta]:
    """Return the deltas to explain, largest first: what got worse, else what got better.

    Metrics measured with two yardsticks count only where no other moved.
    """
    pool = [delta for delta in deltas if delta.comparable] or deltas
    worse = [delta for delta in pool if delta.gain < 0]
    return sorted(worse or pool, key=lambda delta: (-abs(delta.gain), delta.metric))
