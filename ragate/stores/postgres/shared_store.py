"""Run folders here and runs of the store: what is not here is fetched, and read as a folder is."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg import Connection, Error

from ragate.errors import StorageError, UsageError
from ragate.stores import MANIFEST
from ragate.stores.listed_run import (
    ListedRun,
    RunStatus,
    listed_runs,
    read_listed_run,
    read_listing,
    remove,
)
from ragate.stores.local import LocalStore, is_run_id
from ragate.stores.postgres.connect import connect, told
from ragate.stores.postgres.reading import (
    FIGURES,
    READ,
    TEXTS,
    StoredRow,
    counted,
    fetch,
    fetch_heads,
    rows_of,
    stored_rows,
    written_at,
)

if TYPE_CHECKING:
    from ragate.models import Run

_REMOVE = "DELETE FROM ragate_runs.runs WHERE run_id = %s AND writer = ANY(%s)"
_UNJUDGED = frozenset(
    {RunStatus.RECORDED, RunStatus.COLLECTED, RunStatus.UNFINISHED, RunStatus.BROKEN}
)


class SharedStore(LocalStore):
    """The state folder, and a run store in Postgres behind it.

    A run that ended here is read here; any other that ended there, from there.

    Args:
        url: A libpq connection string.
    """

    def __init__(self, state: Path, url: str) -> None:
        super().__init__(state)
        self._reader = StoreReader(url)
        self._rows: dict[str, list[StoredRow]] = {}  # by id: one, but where two roles wrote one

    @cached_property
    def _fetched(self) -> Path:
        """The folder of this process for what is fetched; it goes with the object."""
        folder = Path(tempfile.mkdtemp(prefix="ragate-runs-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def listed(self) -> Iterator[ListedRun]:
        """Yield what a list shows of every run, here and there, newest first.

        Raises:
            DatabaseError: the store cannot be read.
        """
        with self._reader.open() as connection:
            rows = stored_rows(connection)
        by_id = groupby(rows, key=lambda row: row.run_id)
        self._rows = {run_id: list(found) for run_id, found in by_id}
        here = {run.run_id: run for run in listed_runs(self.runs)}
        if not here:
            for found in self._rows.values():
                yield from map(self._listed, found, count())
            return
        for run_id in sorted({*here, *self._rows}, reverse=True):
            there = list(map(self._listed, self._rows.get(run_id, ()), count()))
            yield from counted(here.get(run_id), there)

    def _listed(self, row: StoredRow, number: int) -> ListedRun:
        if not row.named:
            problem = "the store's row: no id of a run"
            return ListedRun(row.run_id, self._fetched, RunStatus.BROKEN, problem=problem)
        return self._reader.listed(row, self._folder(row, number))

    def _folder(self, row: StoredRow, number: int = 0) -> Path:
        """Return where the run of this number is fetched to, of those with one id."""
        return (self._fetched / f"{number}." if number else self._fetched) / row.run_id

    def _row(self, folder: Path) -> StoredRow | None:
        """Return the run that is fetched to a folder; None for any other folder."""
        rows = self._rows.get(folder.name, [])
        found = (row for number, row in enumerate(rows) if self._folder(row, number) == folder)
        return next(found, None)

    def place(self, run: ListedRun) -> str:
        """Return where a listed run is kept, in words; "" for the state folder alone."""
        if run.folder.parent != self.runs:
            return "in the run store"
        return "here and in the run store" if self._rows.get(run.run_id) else ""

    def last_write(self, run: ListedRun) -> float:
        """Return when something was last written to a run, in seconds since the epoch."""
        row = self._row(run.folder)
        if row is None:
            return super().last_write(run)
        with self._reader.open() as connection:
            return written_at(connection, row)

    def _rows_of(self, run: ListedRun) -> list[StoredRow]:
        row = self._row(run.folder)
        return self._rows.get(run.run_id, []) if row is None else [row]

    def writer(self, run: ListedRun) -> str:
        """Return the role that wrote a listed run; "" where none did, or several."""
        rows = self._rows_of(run)
        return rows[0].writer if len(rows) == 1 else ""

    def remove(self, runs: Iterable[ListedRun]) -> Iterator[ListedRun]:
        """Remove listed runs there and here, one by one, and yield each that is gone.

        Raises:
            DatabaseError: the role may not, or the store is gone; those before it are gone.
            StorageError: a folder cannot be removed.
        """
        with self._reader.open() as connection:
            for run in runs:
                if rows := self._rows_of(run):
                    connection.execute(_REMOVE, (run.run_id, [each.writer for each in rows]))
                if self._row(run.folder) is None:
                    yield from remove([run])
                else:
                    yield run

    def find(self, name: str, *, reported: bool = False, texts: bool = False) -> Path:
        """Return the folder of a run, fetched where it is not here.

        Args:
            reported: ``latest`` is the newest run that was judged, not the recording of a baseline.
            texts: Its outputs are fetched as well.

        Raises:
            UsageError: no such run, here or there; or two roles wrote one of this id.
            DatabaseError: the store cannot be read.
            StorageError: the run lacks a part there.
        """
        try:
            return super().find(name, reported=reported)
        except UsageError as error:
            row = self._newest(reported=reported) if name == "latest" else self._named(name)
            if row is None:
                raise UsageError(
                    f"{error.message}, and none in the run store", remedy=error.remedy
                ) from error
        return self._brought(row, TEXTS if texts else READ)

    def newest_elsewhere(self, gate: str, *, texts: bool = False) -> Path | None:
        """Return the folder of the newest whole run of a gate that the store has; see `find`."""
        row = self._newest(gate=gate)
        return None if row is None else self._brought(row, TEXTS if texts else READ)

    def _brought(self, row: StoredRow, names: Iterable[str]) -> Path:
        folder = self._folder(row, self._rows[row.run_id].index(row))
        self._reader.bring(row, folder, names)
        return folder

    def _newest(self, *, reported: bool = False, gate: str | None = None) -> StoredRow | None:
        for run in self.listed():
            row = self._row(run.folder)
            fits = not reported or run.status not in _UNJUDGED
            if gate is not None and (run.gate != gate or run.partial):
                continue
            if row is not None and row.listing is not None and fits:
                return row
        return None

    def _named(self, name: str) -> StoredRow | None:
        if not is_run_id(name):
            return None
        with self._reader.open() as connection:
            rows = [row for row in rows_of(connection, name) if row.listing is not None]
        if len(rows) > 1:
            raise UsageError(
                f"the run store holds two runs {name!r}: of {rows[0].writer} and {rows[1].writer}",
                remedy="one of them is not what it says: ask who owns the store",
            )
        self._rows[name] = rows
        return rows[0] if rows else None

    def load(self, folder: Path) -> Run:
        """Read a run back, from the store where it was only listed; raises as there, too."""
        row = self._row(folder)
        if row is not None and not (folder / MANIFEST).is_file():
            self._reader.bring(row, folder, FIGURES)
            try:
                return super().load(folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)  # of many runs only one is on the disk
        return super().load(folder)


class StoreReader:
    """Reads the store of a URL; connected on first use, until the object goes."""

    def __init__(self, url: str) -> None:
        self._url = url

    @cached_property
    def _connection(self) -> Connection[Any]:
        connection = connect(self._url)
        weakref.finalize(self, connection.close)
        return connection

    @contextmanager
    def open(self) -> Iterator[Connection[Any]]:
        """Yield the connection, each statement a transaction of its own.

        Raises:
            DatabaseError: the store cannot be reached or used, or the role may not.
        """
        try:
            yield self._connection
        except Error as error:
            raise told(error, self._url) from error

    def bring(self, row: StoredRow, folder: Path, names: Iterable[str]) -> None:
        """Write files of a run into a folder, which is made; raises as `fetch`, too."""
        with self.open() as connection:
            fetch(connection, row, folder, names)

    def listed(self, row: StoredRow, folder: Path) -> ListedRun:
        """Return what a list shows of a run, whose folder it has once it is fetched.

        Raises:
            DatabaseError: the store cannot be read.
        """
        try:
            if row.listing is None:
                return self._begun(row, folder)
            kept = read_listing(row.listing, folder)
            if kept is not None:
                return kept
            self.bring(row, folder, READ)  # another ragate wrote the listing
            return read_listed_run(folder)
        except (ValueError, TypeError, LookupError, AttributeError, StorageError) as error:
            problem = f"the store's row: not a run: {error}"
            return ListedRun(row.run_id, folder, RunStatus.BROKEN, problem=problem)

    def _begun(self, row: StoredRow, folder: Path) -> ListedRun:
        """Return what a run without scores began with: interrupted, or outputs for `decide`."""
        with self.open() as connection:
            fetch_heads(connection, row, folder)
        run = read_listed_run(folder)
        shutil.rmtree(folder, ignore_errors=True)
        return run
