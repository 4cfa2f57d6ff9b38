"""The connection to the cache's file: opened on first use, and replaced where it is broken."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from ragate.cache.file import Doubt, failed, is_damage, open_database, readable_errors

T = TypeVar("T")
_CHUNK = 500  # keys in one query


class CacheConnection:
    """One SQLite file; safe for several processes and threads.

    A file that turns out to be broken is moved aside with a note, and the work goes on with a new
    one: what the cache loses is asked for again.

    Args:
        path: The file, such as ``.ragate/cache.sqlite``; made on first use.
        say: Prints one line.
    """

    def __init__(self, path: Path, *, say: Callable[[str], None] = lambda _line: None) -> None:
        self.path = path
        self._say = say
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Every write is on the disk already: who forgets to close loses nothing.
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table in the order of their keys; as they are, unread.

        Raises:
            StorageError: the file is damaged; the next use of the cache moves it aside.
        """
        query = f"SELECT * FROM {table} ORDER BY 1, 2"  # noqa: S608 - a name of ours
        try:
            with self._lock, readable_errors():
                yield from self._opened().execute(query)
        except sqlite3.Error as error:
            raise failed(self.path, error) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is put inside, or none of it."""
        with self._lock:
            self._run(lambda database: database.execute("BEGIN IMMEDIATE"))
            database = self._opened()
            try:
                yield
            except BaseException:
                _roll_back(database)
                raise
            self._run(lambda database: database.execute("COMMIT"))

    def _select(self, query: str, keys: Sequence[str]) -> list[tuple[Any, ...]]:
        def select(database: sqlite3.Connection) -> list[tuple[Any, ...]]:
            rows: list[tuple[Any, ...]] = []
            for start in range(0, len(keys), _CHUNK):
                batch = keys[start : start + _CHUNK]
                marks = ", ".join("?" * len(batch))
                rows += database.execute(query.format(marks), batch).fetchall()
            return rows

        return self._run(select)

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self._run(lambda database: _write(database, statement, rows))

    def _run(self, use: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `use` returns; a file that is found broken is replaced on the way."""
        with self._lock:
            for doubt in Doubt:
                database = self._opened(doubt)
                try:
                    with readable_errors():
                        return use(database)
                except sqlite3.Error as error:
                    if database.in_transaction or not is_damage(error) or doubt is Doubt.FULL:
                        raise failed(self.path, error) from error
                self.close()
        raise AssertionError("the last doubt returns or raises")

    def _opened(self, doubt: Doubt = Doubt.NONE) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_database(self.path, say=self._say, doubt=doubt)
        return self._connection


def _write(database: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if database.in_transaction:
        database.executemany(statement, rows)
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        database.executemany(statement, rows)
        database.execute("COMMIT")
    except BaseException:
        _roll_back(database)
        raise


def _roll_back(database: sqlite3.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):  # some errors have rolled back already
        database.execute("ROLLBACK")
