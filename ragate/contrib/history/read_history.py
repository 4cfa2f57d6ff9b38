"""The committed baseline over the commits of a branch: every metric, and what moved it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path

from ragate.baseline.schema import WHOLE_BYTES
from ragate.config import Config
from ragate.contrib.history.means import BaselineMeans, MeansReader
from ragate.core.decision.scorecard import means_of
from ragate.errors import BaselineError, RagateError, UsageError
from ragate.models import Needs, Scorecard
from ragate.repository import git
from ragate.repository.git import (
    FileCommit,
    blobs,
    commits_of_branch,
    file_commits,
    is_shallow,
)
from ragate.stores.listed_run import (
    ANY_RUN,
    VERDICTS,
    WITHOUT_SCORES,
    ListedRun,
    RunFilter,
    fitting,
)
from ragate.stores.local import LocalStore

WINDOW = 30  # days of the second drift
SMALLEST_MOVE = 5e-7  # figures of the file have six decimals
NOT_HERE = "not in this clone, or too large"


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
class StoredPoint:
    """A stored run of a commit of the branch.

    Attributes:
        means: By metric, over samples and passes.
    """

    run_id: str
    commit: str
    created: str
    status: str
    means: Mapping[str, float]


@dataclass(frozen=True)
class History:
    """The commits that wrote the baseline of one gate.

    Attributes:
        points: Oldest first.
        notes: What this clone does not hold.
        runs: Runs that are stored here, of commits of this branch, oldest first.
        verdict: The newest of them that was judged.
        gated: Metrics that can fail the gate; they stand first.
    """

    gate: str
    path: str
    points: tuple[HistoryPoint, ...]
    notes: tuple[str, ...] = ()
    runs: tuple[StoredPoint, ...] = ()
    verdict: ListedRun | None = None
    gated: frozenset[str] = frozenset()


def _no_commit(baseline: str, wanted: RunFilter) -> UsageError:
    when = f" since {wanted.since}" if wanted.since else ""
    when += f" until {wanted.until}" if wanted.until else ""
    return UsageError(
        f"{baseline}: no commit of this branch wrote it{when}",
        remedy="commit it, look further back with --since, or fetch the whole history "
        "(fetch-depth: 0)",
    )


def read_history(
    config: Config,
    *,
    most: int,
    store: LocalStore,
    most_runs: int,
    wanted: RunFilter = ANY_RUN,
) -> History:
    """Return what the newest commits of the checked-out branch say.

    A file in one commit that is no baseline costs that point and no other.

    Args:
        most: So many commits that wrote the file.
        store: Where runs are stored; so many of the newest stand beside the commits.
        wanted: Days of the commits and of the runs, and what was noted with a run.

    Raises:
        UsageError: there is no repository, or no commit of it holds the baseline.
    """
    top, path = _place(config)
    commits = [
        each
        for each in file_commits(top, path, most=most, since=wanted.since)
        if not wanted.until or each.date[:10] <= wanted.until
    ]
    if not commits:
        raise _no_commit(config.policy.baseline, wanted)
    # Newest first: a partial clone holds the newest, and an older git ends at the first it lacks.
    names = list(dict.fromkeys(each.blob for each in reversed(commits) if each.blob))
    reader = MeansReader(config.policy.scorecard)
    read: dict[str, BaselineMeans | str] = dict.fromkeys(names, NOT_HERE)
    read |= {
        name: _read(reader, content, where=f"{path} at {name[:7]}")
        for name, content in blobs(top, names, most_bytes=WHOLE_BYTES)
    }
    read[""] = "removed here"
    points = tuple(_points(commits, read))
    notes = tuple(_notes(top, path, read))
    branch = commits_of_branch(top)
    wanted = replace(wanted, gate=config.gate)
    card = config.policy.scorecard
    runs = stored_points(store, wanted, commits=branch, most=most_runs, card=card)
    verdict = last_verdict(store, gate=config.gate, commits=branch)
    return History(config.gate, path, points, notes, runs, verdict, config.policy.gated)


def _place(config: Config) -> tuple[Path, str]:
    """Return the work tree, and the baseline's path in it."""
    top = git.repository(config.root)
    real = config.baseline.resolve()
    if top is None or not real.is_relative_to(top):
        raise UsageError(
            f"{config.policy.baseline}: in no git repository",
            remedy="history reads the commits of the baseline: run it in a clone of the project",
        )
    return top, real.relative_to(top).as_posix()


def _notes(top: Path, path: str, read: Mapping[str, BaselineMeans | str]) -> Iterator[str]:
    if is_shallow(top):
        yield "this clone begins at its oldest commit: git fetch --unshallow brings the others"
    if missing := sum(isinstance(each, str) and each.endswith(NOT_HERE) for each in read.values()):
        yield (
            f"versions of the file that are not in this clone: {missing}; "
            f"git log -p --first-parent -- {path} fetches them"
        )


def _read(reader: MeansReader, content: bytes | None, *, where: str) -> BaselineMeans | str:
    if content is None:
        return f"{where}: {NOT_HERE}"
    try:
        return reader.read(content, where=where)
    except BaselineError as error:
        return error.message


def _points(
    commits: Sequence[FileCommit], read: Mapping[str, BaselineMeans | str]
) -> Iterator[HistoryPoint]:
    before: BaselineMeans | None = None
    for commit in commits:
        held = read.get(commit.blob, NOT_HERE)
        if isinstance(held, str):
            yield HistoryPoint(commit, None, held)
            continue
        yield HistoryPoint(commit, held, marks=tuple(_marks(before, held)) if before else ())
        before = held


def _marks(before: BaselineMeans, after: BaselineMeans) -> Iterator[str]:
    if before.dataset != after.dataset:
        yield f"golden set {after.dataset} (was {before.dataset})"
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


def stored_points(
    store: LocalStore,
    wanted: RunFilter,
    *,
    commits: frozenset[str],
    most: int,
    card: Scorecard | None = None,
) -> tuple[StoredPoint, ...]:
    """Return the newest whole runs of a gate at these commits, oldest first.

    A run of some samples only has other means, and one that cannot be read has none.
    """
    runs = fitting(_whole(store, wanted.gate, commits), wanted)
    newest_first = islice(_means(store, runs, card), most)
    return tuple(reversed(list(newest_first)))


def last_verdict(store: LocalStore, *, gate: str, commits: frozenset[str]) -> ListedRun | None:
    """Return the newest judged run of the whole golden set at one of these commits.

    A run of files that were edited beside the commit says nothing of the branch.
    """
    whole = _whole(store, gate, commits)
    return next((run for run in whole if run.clean and run.status in VERDICTS), None)


def _whole(store: LocalStore, gate: str, commits: frozenset[str]) -> Iterator[ListedRun]:
    for run in store.listed():
        whole = not run.partial and run.status not in WITHOUT_SCORES
        if whole and run.gate == gate and run.commit in commits:
            yield run


def _means(
    store: LocalStore, runs: Iterator[ListedRun], card: Scorecard | None
) -> Iterator[StoredPoint]:
    for run in runs:
        try:
            means = means_of(store.load(run.folder), card)
        except RagateError:
            continue  # `ragate runs list` names it
        yield StoredPoint(run.run_id, run.commit, run.created, str(run.status), means)


# What a history says of a metric: where it moved, and how far it drifted.


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
    """Return every metric that a commit holds: those that gate, then the others, each sorted."""
    names = {name for point in history.points if point.held for name in point.held.means}
    return sorted(names, key=lambda name: (name not in history.gated, name))


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


@dataclass(frozen=True)
class MetricHistory:
    """A metric over the commits that hold it.

    Attributes:
        means: Of each commit, oldest first.
        moves: Where one became another, oldest first.
        drift, lately: As `drift` has them, over all commits and over the last `WINDOW` days.
    """

    name: str
    means: list[tuple[HistoryPoint, float]]
    moves: list[Move]
    drift: float | None
    lately: float | None

    @property
    def newest(self) -> float:
        """The mean of the newest commit."""
        return self.means[-1][1]


def metric_histories(history: History, names: Sequence[str] = ()) -> list[MetricHistory]:
    """Return the metrics of these names, or all of them."""
    return [
        MetricHistory(
            name,
            series(history, name),
            moves(history, name),
            drift(history, name),
            drift(history, name, days=WINDOW),
        )
        for name in names or metric_names(history)
    ]
