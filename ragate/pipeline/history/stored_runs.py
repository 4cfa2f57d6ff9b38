"""Runs of the state folder that measured a commit of the branch: beside what was committed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from ragate.errors import RagateError
from ragate.pipeline.baseline.write_baseline import run_means
from ragate.stores.listed_run import ListedRun, RunStatus
from ragate.stores.local import LocalStore

_NO_FIGURES = frozenset({RunStatus.COLLECTED, RunStatus.UNFINISHED, RunStatus.BROKEN})


@dataclass(frozen=True)
class StoredPoint:
    """One run.

    Attributes:
        means: By metric, over samples and passes.
    """

    run_id: str
    commit: str
    created: str
    status: str
    means: Mapping[str, float]


def stored_points(
    store: LocalStore, *, gate: str, commits: frozenset[str], most: int
) -> tuple[StoredPoint, ...]:
    """Return the newest whole runs of a gate at these commits, oldest first.

    A run of some samples only has other means, and one that cannot be read has none.
    """
    found = _means(store, _whole(store, gate, commits)) if most else iter(())
    return tuple(reversed(list(islice(found, most))))


def _whole(store: LocalStore, gate: str, commits: frozenset[str]) -> Iterator[ListedRun]:
    for run in store.listed():
        whole = not run.partial and run.status not in _NO_FIGURES
        if whole and run.gate == gate and run.commit in commits:
            yield run


def _means(store: LocalStore, runs: Iterator[ListedRun]) -> Iterator[StoredPoint]:
    for run in runs:
        try:
            means = run_means(store.load(run.folder))
        except RagateError:
            continue  # `ragate runs list` names it
        yield StoredPoint(run.run_id, run.commit, run.created, str(run.status), means)
