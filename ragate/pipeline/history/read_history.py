"""The committed baseline over the commits of a branch: every metric, and what moved it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragate.baseline.means import BaselineMeans, MeansReader
from ragate.baseline.schema import MAX_BYTES
from ragate.config import Config
from ragate.errors import BaselineError, UsageError
from ragate.models import Needs
from ragate.support import git
from ragate.support.git_history import FileCommit, blobs, file_commits

SMALLEST_MOVE = 5e-7  # figures of the file have six decimals


@dataclass(frozen=True)
class HistoryPoint:
    """One commit that wrote the baseline.

    Attributes:
        held: None where the commit removed the file, or holds one that cannot be read.
        problem: Why there is nothing, "" where there is.
        marks: What else changed there: judge, versions of metrics, accepted drops.
    """

    commit: FileCommit
    held: BaselineMeans | None
    problem: str = ""
    marks: tuple[str, ...] = ()


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


@dataclass(frozen=True)
class History:
    """Oldest first."""

    gate: str
    path: str
    points: tuple[HistoryPoint, ...]


def read_history(config: Config, *, most: int, since: str = "") -> History:
    """Return what the newest commits of the checked-out branch say.

    A file in one commit that is no baseline costs that point and no other.

    Raises:
        UsageError: there is no repository, or no commit of it holds the baseline.
    """
    top = git.repository(config.root)
    real = config.baseline.resolve()
    if top is None or not real.is_relative_to(top):
        raise UsageError(
            f"{config.policy.baseline}: in no git repository",
            remedy="history reads the commits of the baseline: run it in a clone of the project",
        )
    path = real.relative_to(top).as_posix()
    commits = file_commits(top, path, most=most, since=since)
    if not commits:
        when = f" since {since}" if since else ""
        raise UsageError(
            f"{config.policy.baseline}: no commit of this branch wrote it{when}",
            remedy="commit it, look further back with --since, or fetch the whole history "
            "(fetch-depth: 0)",
        )
    names = list(dict.fromkeys(commit.blob for commit in commits if commit.blob))
    reader = MeansReader()
    read = {
        name: _read(reader, content, where=f"{path} at {name[:7]}")
        for name, content in blobs(top, names, most_bytes=MAX_BYTES)
    }
    read[""] = "removed here"
    return History(config.gate, path, tuple(_points(commits, read)))


def _read(reader: MeansReader, content: bytes | None, *, where: str) -> BaselineMeans | str:
    if content is None:
        return f"{where}: not in this clone, or too large"
    try:
        return reader.read(content, where=where)
    except BaselineError as error:
        return error.message


def _points(
    commits: Sequence[FileCommit], read: Mapping[str, BaselineMeans | str]
) -> Iterator[HistoryPoint]:
    before: BaselineMeans | None = None
    for commit in commits:
        held = read.get(commit.blob, "not in this clone")
        if isinstance(held, str):
            yield HistoryPoint(commit, None, held)
            continue
        yield HistoryPoint(commit, held, marks=tuple(_marks(before, held)) if before else ())
        before = held


def _marks(before: BaselineMeans, after: BaselineMeans) -> Iterator[str]:
    if before.judge != after.judge:
        yield "another judge"
    for name, info in after.metrics.items():
        old = before.metrics.get(name)
        if old is not None and old.version != info.version:
            yield f"{name} of version {info.version} (was {old.version})"
    for drop in after.accepted:
        if drop not in before.accepted:
            yield f"drop of {drop.metric} accepted by {drop.by}"
    if before.samples != after.samples:
        yield f"{after.samples} samples (was {before.samples})"


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


def drift(history: History, metric: str) -> float | None:
    """Return newest minus oldest mean, over the newest points that compare; None of one alone."""
    values = series(history, metric)
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
