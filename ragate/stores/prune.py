"""Removing stored runs: only whole folders that a run made, and none that may still be written."""

import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ragate.errors import StorageError
from ragate.stores.listed_run import ListedRun, RunStatus

STILL_RUNNING_SECONDS = 24 * 3600.0
_UNSCORED = frozenset({RunStatus.COLLECTED, RunStatus.UNFINISHED})
_RUN_ID = re.compile(r"\d{8}-\d{6}(-\d{3})?-[0-9a-f]{4}")


def last_write(folder: Path) -> float:
    """Return when a folder, or a file in it, was last written, in seconds since the epoch."""
    try:
        return max((path.lstat().st_mtime for path in (folder, *folder.iterdir())), default=0.0)
    except OSError:  # somebody is at it right now
        return time.time()


def prunable(
    runs: Iterable[ListedRun],
    *,
    keep: int,
    now: float | None = None,
    written: Callable[[ListedRun], float] = lambda run: last_write(run.folder),
    writer: Callable[[ListedRun], str] = lambda _run: "",
) -> list[ListedRun]:
    """Return which of the runs may go.

    A folder without the name of a run is somebody's own. An unfinished run may go on, and what was
    collected may be judged yet: it stays until nothing was written to it for a day.

    Args:
        runs: Newest first. keep: So many of the newest finished ones stay, of every gate.
        now: Seconds since the epoch.
        written: Says when something was last written to a run, in the same seconds.
        writer: Says who wrote a run: whoever invents newer ones lets none of another's go.
    """
    today = time.time() if now is None else now
    kept: dict[tuple[str, str], int] = {}
    going: list[ListedRun] = []
    for run in runs:
        if not _RUN_ID.fullmatch(run.run_id):
            continue
        if run.status in _UNSCORED:
            if written(run) < today - STILL_RUNNING_SECONDS:
                going.append(run)
            continue
        group = run.gate, writer(run)
        if run.status is not RunStatus.BROKEN and kept.get(group, 0) < keep:
            kept[group] = kept.get(group, 0) + 1
            continue
        going.append(run)
    return going


def remove(runs: Iterable[ListedRun]) -> Iterator[ListedRun]:
    """Remove the folders one by one, and yield each that is gone.

    The manifest goes first: a removal that is cut off leaves no run that looks whole.

    Raises:
        StorageError: a folder cannot be removed; those before it are gone.
    """
    for run in runs:
        try:
            (run.folder / "manifest.json").unlink(missing_ok=True)
            shutil.rmtree(run.folder)
        except OSError as error:
            raise StorageError(
                f"{run.folder}: cannot be removed: {error.strerror}",
                remedy="look who owns the folder; the runs before it are gone",
            ) from error
        yield run
