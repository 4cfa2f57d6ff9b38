"""The committed baseline over the commits of a branch: every metric, and what moved it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.baseline.means import BaselineMeans, MeansReader
from ragate.baseline.schema import WHOLE_BYTES
from ragate.config import Config
from ragate.errors import BaselineError, UsageError
from ragate.pipeline.history.last_verdict import last_verdict
from ragate.pipeline.history.stored_runs import StoredPoint, stored_points
from ragate.stores.listed_run import ListedRun
from ragate.stores.local import LocalStore
from ragate.support import git
from ragate.support.git_history import (
    FileCommit,
    blobs,
    commits_of_branch,
    file_commits,
    is_shallow,
)

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
class History:
    """The commits that wrote the baseline of one gate.

    Attributes:
        points: Oldest first.
        notes: What this clone does not hold.
        runs: Runs that are stored here, of commits of this branch, oldest first.
        verdict: The newest of them that was judged.
    """

    gate: str
    path: str
    points: tuple[HistoryPoint, ...]
    notes: tuple[str, ...] = ()
    runs: tuple[StoredPoint, ...] = ()
    verdict: ListedRun | None = None


def read_history(
    config: Config,
    *,
    most: int,
    since: str = "",
    store: LocalStore | None = None,
    most_runs: int = 0,
) -> History:
    """Return what the newest commits of the checked-out branch say.

    A file in one commit that is no baseline costs that point and no other.

    Args:
        most: So many commits that wrote the file.
        since: A day, ISO 8601; "" for all.
        store: Where runs are stored; so many of the newest stand beside the commits.

    Raises:
        UsageError: there is no repository, or no commit of it holds the baseline.
    """
    top, path = _place(config)
    commits = file_commits(top, path, most=most, since=since)
    if not commits:
        when = f" since {since}" if since else ""
        raise UsageError(
            f"{config.policy.baseline}: no commit of this branch wrote it{when}",
            remedy="commit it, look further back with --since, or fetch the whole history "
            "(fetch-depth: 0)",
        )
    # Newest first: a partial clone holds the newest, and an older git ends at the first it lacks.
    names = list(dict.fromkeys(each.blob for each in reversed(commits) if each.blob))
    reader = MeansReader()
    read: dict[str, BaselineMeans | str] = dict.fromkeys(names, NOT_HERE)
    read |= {
        name: _read(reader, content, where=f"{path} at {name[:7]}")
        for name, content in blobs(top, names, most_bytes=WHOLE_BYTES)
    }
    read[""] = "removed here"
    points = tuple(_points(commits, read))
    notes = tuple(_notes(top, path, read))
    if store is None:
        return History(config.gate, path, points, notes)
    branch = commits_of_branch(top)
    runs = stored_points(store, gate=config.gate, commits=branch, most=most_runs)
    verdict = last_verdict(store, gate=config.gate, commits=branch)
    return History(config.gate, path, points, notes, runs, verdict)


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
