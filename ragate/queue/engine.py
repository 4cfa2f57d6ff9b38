"""The connection to the queue, and the engine over it: Procrastinate."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ragate.database.connecting import ALIVE, frozen
from ragate.database.schema import CONNECT_S, describe, first_line
from ragate.errors import DatabaseError, UsageError
from ragate.queue.schema import VARIABLE
from ragate.queue.tables import ENGINE_SCHEMA
from ragate.version import MANUAL

if TYPE_CHECKING:
    from procrastinate import App
    from psycopg_pool import AsyncConnectionPool


_CLASS = 0x7261_6771  # our number space among the server's advisory locks
# Of a machine that is gone the server hears nothing: it asks, and lets go of the lock.
_WATCHED = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
)
T = TypeVar("T")

TASK = "ragate.block"
PRIORITY_CHECK, PRIORITY_RECORDING = 1, 0  # somebody waits for a verdict
HEARTBEAT_S = 2.0
STALLED_S = 10.0  # of a worker without a heartbeat: its blocks are given to others
# A worker has the functions that its role may call: ragate/database/engine_sql.py.
WORKER_PATH = f"ragate_worker,{ENGINE_SCHEMA}"
LOCK_S = 30  # a worker that is not trusted may hold a row for as long as it likes
PATIENCE_S = 300.0  # for a database that is gone
_PAUSE_S = 1.0
_CONNECTIONS = 4


@dataclass
class Queue:
    """An open connection to the queue.

    Attributes:
        url: With what libpq's variables added when it was opened.
        parameters: What every connection adds to it.
        say: Prints a line.
        patience_s: How long a database that is gone is waited for.
    """

    url: str
    parameters: Mapping[str, Any]
    app: App
    pool: AsyncConnectionPool[Any]
    say: Callable[[str], None]
    patience_s: float = PATIENCE_S
    _away: bool = False

    def hurry(self) -> None:
        """Wait for a database that is gone no longer: this process is to end."""
        self.patience_s = 0.0

    async def patient(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what `call` does; while the database is gone it is called again.

        Raises:
            DatabaseError: it did not come back.
        """
        started = time.monotonic()
        while True:
            try:
                done = await call()
            except Exception as error:
                if not is_outage(error):
                    raise
                waited = time.monotonic() - started
                if waited >= self.patience_s:
                    reason = error if error.__cause__ is None else error.__cause__
                    described = describe(reason, self.url, VARIABLE)
                    raise DatabaseError(
                        f"{described.message}, for {waited:.0f} seconds",
                        remedy=f"{described.remedy}; what was answered is kept",
                    ) from error
            else:
                self._away = False
                return done
            if not self._away:
                self._away = True
                self.say(
                    f"the database of {VARIABLE} does not answer; it is tried again for "
                    f"{self.patience_s:g} seconds"
                )
            await asyncio.sleep(_PAUSE_S)

    async def rows(self, query: str, *arguments: object) -> list[tuple[Any, ...]]:
        """Return the rows of one statement, in a transaction of its own.

        Raises:
            DatabaseError: the database did not come back, or this role may not do that.
        """
        import psycopg

        async def call() -> list[tuple[Any, ...]]:
            async with self.pool.connection() as connection:
                cursor = await connection.execute(query.encode(), arguments)
                return [] if cursor.description is None else await cursor.fetchall()

        try:
            return await self.patient(call)
        except psycopg.errors.InsufficientPrivilege as error:
            raise DatabaseError(
                f"the role of {VARIABLE} may not do that: {first_line(error)}",
                remedy=f"a submitter's role submits, a worker's role works: {MANUAL}/workers.md",
            ) from error


def is_outage(error: BaseException) -> bool:
    """Return whether the database is gone, and may come back."""
    import psycopg
    from procrastinate.exceptions import ConnectorException

    if isinstance(error, ConnectorException):
        return error.__cause__ is not None and is_outage(error.__cause__)
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


@asynccontextmanager
async def open_queue(
    url: str,
    *,
    say: Callable[[str], None] = lambda _line: None,
    patience_s: float = PATIENCE_S,
    path: str = ENGINE_SCHEMA,
) -> AsyncIterator[Queue]:
    """Yield the queue behind `url`, whose schemas are there.

    Args:
        path: Where the engine looks for its names: `WORKER_PATH` for a worker.

    Raises:
        DatabaseError: it is out of reach.
    """
    from procrastinate import App, PsycopgConnector
    from psycopg_pool import AsyncConnectionPool, PoolTimeout

    # What goes wrong is told by us: with the remedy, and without a traceback for each try.
    for name in ("procrastinate", "psycopg.pool"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    url = frozen(url, VARIABLE)
    options = f"-c search_path={path} -c lock_timeout={LOCK_S}s"
    parameters = {"options": options, "connect_timeout": CONNECT_S, **ALIVE}
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        url,
        min_size=1,
        max_size=_CONNECTIONS,
        timeout=CONNECT_S,
        reconnect_timeout=CONNECT_S,  # its pauses grow; whoever waits for it begins anew
        kwargs=parameters,
        check=AsyncConnectionPool.check_connection,
        open=False,
    )
    try:
        try:
            await pool.open(wait=True, timeout=CONNECT_S)
        except PoolTimeout as error:
            raise describe(error, url, VARIABLE) from error
        app = App(connector=PsycopgConnector())
        async with app.open_async(pool):
            yield Queue(url, parameters, app, pool, say, patience_s)
    finally:
        await pool.close()


# One process at a plan, on whatever machine: a second one would take its blocks back.


@asynccontextmanager
async def alone_at(queue: Queue, plan: str) -> AsyncIterator[None]:
    """Hold a plan for this process, for as long as the server lives.

    Raises:
        UsageError: another process is at it.
        DatabaseError: the server is out of reach.
    """
    import psycopg

    try:
        connection = await psycopg.AsyncConnection.connect(
            queue.url, autocommit=True, connect_timeout=CONNECT_S, **ALIVE
        )
    except psycopg.Error as error:
        raise describe(error, queue.url, VARIABLE) from error
    try:
        await connection.execute(_WATCHED)
        query = "SELECT pg_try_advisory_lock(%s, hashtext(%s))"
        row = await (await connection.execute(query, (_CLASS, plan))).fetchone()
        if row != (True,):
            raise UsageError(
                "this run is still under way in another process, the queue says",
                remedy="wait for it, or end its process first",
            )
        yield
    finally:
        await connection.close()
