"""Run folders here and runs of the store: what is not here is fetched, and read as a folder is."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg import Connection, Error

from ragate.contrib.run_store.connect import connect, told
from ragate.contrib.run_store.reading import (
    FIGURES,
    READ,
    TEXTS,
    UNFINISHED,
    StoredRow,
    fetch,
    stored_rows,
)
from ragate.errors import StorageError, UsageError
from ragate.stores import MANIFEST
from ragate.stores.listed_run import (
    VERDICTS,
    ListedRun,
    RunStatus,
    read_listed_run,
    read_listing,
)
from ragate.stores.local import LocalStore, is_run_id

if TYPE_CHECKING:
    from ragate.models import Run
    from ragate.resources.operations import Operations

_REMOVE = "DELETE FROM ragate_runs.runs WHERE run_id = %s AND writer = ANY(%s)"
_THERE = "in the run store"


def open_shared(operations: Operations) -> SharedStore:
    """Return the state folder and the store behind it; nothing is connected yet."""
    return SharedStore(operations.state, operations.runs_url, operations.say)


class SharedStore(LocalStore):
    """The state folder, and a run store in Postgres behind it.

    A run that ended here is read here; any other that ended there, from there. Connected on first
    use, until the object goes.

    Args:
        url: A libpq connection string.
        say: Prints a line about what the store got, or lacks.
    """

    def __init__(
        self, state: Path, url: str, say: Callable[[str], None] = lambda _line: None
    ) -> None:
        super().__init__(state)
        self._url = url
        self._say = say
        self._rows: dict[str, list[StoredRow]] = {}  # by id: one, but where two roles wrote one

    @cached_property
    def _connection(self) -> Connection[Any]:
        connection = connect(self._url)
        weakref.finalize(self, connection.close)
        return connection

    @contextmanager
    def _opened(self) -> Iterator[Connection[Any]]:
        """Yield the connection, each statement a transaction of its own.

        Raises:
            DatabaseError: the store cannot be reached or used, or the role may not.
        """
        try:
            yield self._connection
        except Error as error:
            raise told(error, self._url) from error

    @cached_property
    def _fetched(self) -> Path:
        """The folder of this process for what is fetched; it goes with the object."""
        folder = Path(tempfile.mkdtemp(prefix="ragate-runs-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def reach(self) -> str:
        """Return that the store is there, before anything is paid for.

        Raises:
            DatabaseError: it cannot be reached or used.
        """
        connect(self._url).close()
        return "reachable, and of this ragate"

    def send(self, folder: Path) -> None:
        """Send a run that ended to the store, and what that lacks of earlier ones."""
        from ragate.contrib.run_store.sender import send, send_late

        if send(self._url, folder, self._say):
            send_late(self._url, folder.parent, self._say)

    def fetch_interrupted(self, name: str, *, gate: str, command: str, root: Path) -> str:
        """Fetch an interrupted run that only the store has; see `interrupted.py`."""
        from ragate.contrib.run_store.interrupted import fetch_interrupted

        return fetch_interrupted(self._url, self, name, gate=gate, command=command, root=root)

    def listed(self) -> Iterator[ListedRun]:
        """Yield what a list shows of every run, here and there, newest first.

        Raises:
            DatabaseError: the store cannot be read.
        """
        with self._opened() as connection:
            rows = stored_rows(connection)
        self._rows = {key: list(found) for key, found in groupby(rows, lambda row: row.run_id)}
        here = {run.run_id: run for run in super().listed()}
        for run_id in sorted({*here, *self._rows}, reverse=True):
            yield from self._counted(here.get(run_id), self._rows.get(run_id, []))

    def _counted(self, here: ListedRun | None, rows: list[StoredRow]) -> list[ListedRun]:
        """Return what counts of one id: the folder here, unless it has not ended and a row did."""
        there = [
            replace(self._listed(row), place=_THERE, writer=row.writer, sent_at=row.at)
            for row in rows
        ]
        if here is None or not rows:
            return there if here is None else [here]
        ended = [run for run in there if run.status is not RunStatus.UNFINISHED]
        if ended and here.status is RunStatus.UNFINISHED:
            return ended
        writer = rows[0].writer if len(rows) == 1 else ""
        return [replace(here, place=f"here and {_THERE}", writer=writer)]

    def _listed(self, row: StoredRow) -> ListedRun:
        """Return what a list shows of a run, whose folder it has once it is fetched."""
        folder = self._folder(row)
        try:
            kept = None if row.listing is None else read_listing(row.listing, folder)
            if kept is not None:
                return kept
            self._bring(row, READ if row.scored else UNFINISHED)  # another ragate wrote it
            return read_listed_run(folder)
        except (ValueError, TypeError, LookupError, AttributeError, StorageError) as error:
            problem = f"the store's row: not a run: {error}"
            return ListedRun(row.run_id, folder, RunStatus.BROKEN, problem=problem)

    def _bring(self, row: StoredRow, names: Iterable[str]) -> Path:
        """Write files of a run into its folder, and return it; raises as `fetch`, too."""
        folder = self._folder(row)
        with self._opened() as connection:
            fetch(connection, row, folder, names)
        return folder

    def _folder(self, row: StoredRow) -> Path:
        """Return where a run is fetched to."""
        return self._fetched / str(row.sent) / row.run_id

    def _row(self, folder: Path) -> StoredRow | None:
        """Return the run that is fetched to a folder; None for any other folder."""
        rows = self._rows.get(folder.name, [])
        return next((row for row in rows if self._folder(row) == folder), None)

    def remove(self, runs: Iterable[ListedRun]) -> Iterator[ListedRun]:
        """Remove listed runs there and here, one by one, and yield each that is gone.

        Raises:
            DatabaseError: the role may not, or the store is gone; those before it are gone.
            StorageError: a folder cannot be removed.
        """
        with self._opened() as connection:
            for run in runs:
                is_there = run.sent_at is not None
                rows = self._rows.get(run.run_id, [])
                writers = [run.writer] if is_there else [each.writer for each in rows]
                if writers:
                    connection.execute(_REMOVE, (run.run_id, writers))
                yield from [run] if is_there else super().remove([run])

    def find(self, name: str, *, reported: bool = False, texts: bool = False) -> Path:
        """Return the folder of a run, fetched where it is not here.

        Args:
            reported: ``latest`` is the newest run that was judged, not the recording of a baseline.
            texts: Its outputs are fetched as well.

        Raises:
            UsageError: no such run, here or there; or two roles wrote one of this id.
            DatabaseError: the store cannot be read.
            StorageError: a file of the run is damaged there.
        """
        try:
            return super().find(name, reported=reported)
        except UsageError as error:
            row = self._newest(reported=reported) if name == "latest" else self._named(name)
            if row is None:
                raise UsageError(
                    f"{error.message}, and none in the run store", remedy=error.remedy
                ) from error
        return self._bring(row, TEXTS if texts else READ)

    def newest_elsewhere(self, gate: str, *, texts: bool = False) -> Path | None:
        """Return the folder of the newest whole run of a gate that the store has; see `find`."""
        row = self._newest(gate=gate)
        return None if row is None else self._bring(row, TEXTS if texts else READ)

    def _newest(self, *, reported: bool = False, gate: str | None = None) -> StoredRow | None:
        for run in self.listed():
            row = self._row(run.folder)
            fits = not reported or run.status in VERDICTS
            if gate is not None and (run.gate != gate or run.partial):
                continue
            if row is not None and row.scored and fits:
                return row
        return None

    def _named(self, name: str) -> StoredRow | None:
        if not is_run_id(name):
            return None
        with self._opened() as connection:
            rows = [row for row in stored_rows(connection, name) if row.scored]
        if len(rows) > 1:
            raise UsageError(
                f"the run store holds two runs {name!r}: of {rows[0].writer} and {rows[1].writer}",
                remedy="one of them is not what it says: ask who owns the store",
            )
        return rows[0] if rows else None

    def load(self, folder: Path) -> Run:
        """Read a run back, from the store where it was only listed; raises as there, too."""
        row = self._row(folder)
        if row is None or (folder / MANIFEST).is_file():
            return super().load(folder)
        self._bring(row, FIGURES)
        try:
            return super().load(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # of many runs only one is on the disk
