"""The one connection of a process that reads the store."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from psycopg import Connection, Error

from ragate.errors import StorageError
from ragate.stores.listed_run import ListedRun, RunStatus, read_listed_run, read_listing
from ragate.stores.postgres.connect import connect, told
from ragate.stores.postgres.pieces import READ
from ragate.stores.postgres.reading import StoredRow, fetch, fetch_heads


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
