"""One state of an index, held by a connection that is opened again where it breaks."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import psycopg

from ragate.database import describe
from ragate.errors import DatabaseError
from ragate.protocols import Database
from ragate.systems.pgvector.corpus.metadata import check_fields
from ragate.systems.pgvector.index import index_rows, lifetime, tables
from ragate.systems.pgvector.index.ingest import Work, ingest
from ragate.systems.pgvector.index.tables import Connection, Index

T = TypeVar("T")
_BROKEN = (psycopg.OperationalError, psycopg.errors.InFailedSqlTransaction)
TRIES = 3  # of a database call whose connection was lost, and of opening a contended index


class Snapshot:
    """One state of an index, from which all questions of a run are answered.

    Args:
        work: Returns what an ingestion of the corpus needs.
    """

    def __init__(self, database: Callable[[], Database], work: Callable[[], Work]) -> None:
        self._database = database
        self._work = work
        self._connection: Connection | None = None
        self._index: Index | None = None

    async def opened(self) -> tuple[Connection, Index]:
        """Return the connection that holds the snapshot, and the index in it."""
        if self._connection is None or self._index is None:
            await self.open()
        assert self._connection is not None
        assert self._index is not None
        return self._connection, self._index

    async def open(self, *, rebuild: bool = False) -> None:
        """Ingest what changed and begin the snapshot that all questions are answered from."""
        work = self._work()
        self._connection = await tables.connect(self._database().conninfo())
        for _ in range(TRIES):
            await ingest(self._connection, work, rebuild=rebuild)
            rebuild = False
            self._index = await lifetime.open_snapshot(self._connection, work.key, work.corpus.hash)
            if self._index is not None:
                if work.settings.filtered:
                    fields = await index_rows.metadata_fields(self._connection, self._index)
                    check_fields(fields, work.settings)
                return
        raise DatabaseError(
            "another process keeps changing this index to another state of the corpus",
            remedy="run one of them at a time, or give each its own database",
        )

    async def close(self) -> None:
        """Close the connection, and with it the snapshot."""
        connection, self._connection, self._index = self._connection, None, None
        if connection is not None:
            await connection.close()

    async def guarded(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what `call` returns; a connection that broke is opened again a few times.

        A sample that ran out of time leaves its transaction failed, which is mended the same way.
        """
        for attempt in range(1, TRIES + 1):
            try:
                return await call()
            except psycopg.Error as error:
                await self.close()
                if attempt == TRIES or not isinstance(error, _BROKEN):
                    raise describe(error, self._database().conninfo()) from error
                await asyncio.sleep(0.2 * attempt)
        raise AssertionError("TRIES is at least 1")
