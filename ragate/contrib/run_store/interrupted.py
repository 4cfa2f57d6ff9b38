"""An interrupted run of the store, brought into the state folder so that it goes on there.

A stored run is a claim: whoever may write the store could have written its answers. So only what
the very role wrote that is connected now is brought, and all that holds for folders holds as well.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from ragate.contrib.run_store.connect import connected, store_key, taken_alone
from ragate.contrib.run_store.reading import UNFINISHED, StoredRow, fetch, role_of, stored_rows
from ragate.contrib.run_store.sender import Mark, read_mark
from ragate.errors import StorageError, UsageError
from ragate.repository import git
from ragate.stores import BEGUN, OUTPUTS
from ragate.stores.begun_run import BegunRun, find_interrupted, read_begun
from ragate.stores.local import LocalStore, is_run_id

_MOST = 50


def fetch_interrupted(
    url: str, store: LocalStore, name: str, *, gate: str, command: str, root: Path
) -> str:
    """Fetch an interrupted run that only the store has; return the id of the one that is meant.

    Args:
        name: As of ``--resume``: an id, or ``latest``: the newest here, or else the newest in the
            store of this gate, this command, and the commit that is checked out at `root`.

    Raises:
        UsageError: there is none, or it ended or went on elsewhere, or another role wrote it.
    """
    if name == "latest":
        try:
            name = find_interrupted(store, name, gate=gate, command=command).run_id
        except UsageError:
            commit = git.head_commit(root)

            def fits(run: BegunRun) -> bool:
                state = run.state
                return (state.gate, state.command, state.commit) == (gate, command, commit)

            name = find_stored(url, store, fits)
            if not name:
                raise
    if is_run_id(name):
        bring(url, store, name)
    return name


def bring(url: str, store: LocalStore, run_id: str) -> None:
    """Fetch an interrupted run that only the store has; a folder that is up to date stays.

    Raises:
        UsageError: the run ended elsewhere, went on elsewhere, or another role began it.
        DatabaseError: the store cannot be read.
        StorageError: the run lacks a part there.
    """
    folder = store.folder(run_id)
    with connected(url) as connection:
        rows, role = stored_rows(connection, run_id), role_of(connection)
        own = next((row for row in rows if row.writer == role), None)
        if own is None:
            if rows and not folder.is_dir():
                raise UsageError(
                    f"--resume {run_id}: the role {rows[0].writer!r} wrote it to the run store, "
                    f"not {role!r}: its outputs are a claim",
                    remedy="resume it with that role's RAGATE_RUNS_URL, or begin a new run",
                )
            return
        if own.ended and not (folder / "manifest.json").is_file():
            raise UsageError(
                f"--resume {run_id}: this run came to its end elsewhere, and no answer is drawn "
                "twice",
                remedy="`ragate runs list` shows it; a run without --resume is a new one",
            )
        if not folder.is_dir():
            _fetch(connection, own, folder, Mark(store_key(url), sent=str(own.sent)))
        elif not own.ended and not _is_newest(own, read_mark(folder, store_key(url))):
            raise UsageError(
                f"--resume {run_id}: this run went on elsewhere, and the folder here lacks that",
                remedy=f"move {folder} away, and the run store's copy is taken",
            )


def find_stored(url: str, store: LocalStore, fits: Callable[[BegunRun], bool]) -> str:
    """Return the id of the newest interrupted run of the store that fits; "" where there is none.

    A run that a process holds is under way, and was not interrupted.
    """
    state = store.runs.parent
    with connected(url) as connection:
        role = role_of(connection)
        own = (row for row in stored_rows(connection) if row.writer == role and not row.ended)
        for row in islice(own, _MOST):
            begun = _begun(connection, row, state)
            if begun is not None and fits(begun) and taken_alone(connection, row.run_id):
                return row.run_id
    return ""


def _begun(connection: psycopg.Connection[Any], row: StoredRow, state: Path) -> BegunRun | None:
    state.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=state) as name:
        folder = Path(name) / row.run_id
        try:
            fetch(connection, row, folder, (BEGUN,))
            return read_begun(folder)
        except StorageError:  # nothing was asked yet, or another ragate began it
            return None


def _fetch(connection: psycopg.Connection[Any], row: StoredRow, folder: Path, mark: Mark) -> None:
    state = folder.parent.parent
    state.mkdir(parents=True, exist_ok=True)
    whole = Path(tempfile.mkdtemp(prefix="fetching-", dir=state))
    try:
        fetch(connection, row, whole, UNFINISHED)
        if (whole / OUTPUTS).is_file():
            # The store's clock may be ahead; what is later than now would count as old.
            written = min(row.at, time.time())
            os.utime(whole / OUTPUTS, (written, written))
        mark.write(whole)
        folder.parent.mkdir(exist_ok=True)
        whole.rename(folder)
    finally:
        shutil.rmtree(whole, ignore_errors=True)


def _is_newest(row: StoredRow, mark: Mark | None) -> bool:
    """Return whether the newest row of a run was sent from its folder here, or fetched into it."""
    return mark is not None and str(row.sent) in (mark.sent, mark.next)
