"""What a history says of a metric: where it moved, and how far it drifted."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from ragate.models import Needs
from ragate.pipeline.history.read_history import History, HistoryPoint
from ragate.support.git_history import FileCommit

SMALLEST_MOVE = 5e-7  # figures of the file have six decimals


@dataclass(frozen=True)
class Move:
    """A mean that is another than in the commit before.

    Attributes:
        change: After minus before; None where the two do not compare.
    """

    commit: FileCommit
    before: float
    after: float
    change: float | None


def series(history: History, metric: str) -> list[tuple[HistoryPoint, float]]:
    """Return the means of a metric, of the commits that hold one."""
    held = ((point, point.held) for point in history.points)
    return [(point, read.means[metric]) for point, read in held if read and metric in read.means]


def metric_names(history: History) -> list[str]:
    """Return every metric that a commit holds, sorted."""
    return sorted({name for point in history.points if point.held for name in point.held.means})


def moves(history: History, metric: str) -> list[Move]:
    """Return where the mean of a metric became another, oldest first."""
    values = series(history, metric)
    return [
        Move(point.commit, old, new, new - old if comparable(earlier, point, metric) else None)
        for (earlier, old), (point, new) in pairwise(values)
        if abs(new - old) > SMALLEST_MOVE
    ]


def drift(history: History, metric: str, *, days: int | None = None) -> float | None:
    """Return newest minus oldest mean, over the newest points that compare; None of one alone.

    Args:
        days: Only so far back from the newest commit: what counts is the mean that main had then,
            which an earlier commit may have written.
    """
    values = series(history, metric)
    if days is not None:
        values = _since(values, days)
    if not values:
        return None
    newest, last = values[-1]
    first: float | None = None
    for point, value in reversed(values[:-1]):
        if not comparable(point, newest, metric):
            break
        first = value
    return None if first is None else last - first


def comparable(before: HistoryPoint, after: HistoryPoint, metric: str) -> bool:
    """Return whether two points measure a metric alike: same version, settings and judge."""
    if before.held is None or after.held is None:
        return False
    infos = before.held.metrics.get(metric), after.held.metrics.get(metric)
    judged = infos[1] is not None and infos[1].needs is Needs.JUDGE
    return infos[0] == infos[1] and (not judged or before.held.judge == after.held.judge)


def _since(values: list[tuple[HistoryPoint, float]], days: int) -> list[tuple[HistoryPoint, float]]:
    """Return the points from the one that held when the window began."""
    if not values:
        return []
    begin = _time(values[-1][0]) - timedelta(days=days)
    held = [index for index, (point, _) in enumerate(values) if _time(point) <= begin]
    return values[max(held, default=0) :]


def _time(point: HistoryPoint) -> datetime:
    return datetime.fromisoformat(point.commit.date)
