"""The Postgres in which runs and workers meet: Procrastinate's jobs, and one table of results."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ragate.database.connecting import ALIVE, connected, frozen
from ragate.database.schema import CONNECT_S, describe
from ragate.errors import DatabaseError, NotInstalledError, UsageError
from ragate.installed import install_line
from ragate.resources.operations import Operations
from ragate.version import MANUAL

if TYPE_CHECKING:
    from procrastinate import App
    from psycopg_pool import AsyncConnectionPool

T = TypeVar("T")

VARIABLE = "RAGATE_QUEUE_URL"
_ROLE = VARIABLE.replace("URL", "ROLE")  # of earlier versions
TASK = "ragate.block"
HEARTBEAT_S = 2.0
STALLED_S = 10.0  # of a worker without a heartbeat: its blocks are given to others
PATIENCE_S = 300.0  # for a database that is gone
_PAUSE_S = 1.0
_CONNECTIONS = 4
_ADVISORY_CLASS = 0x7261_6771  # our number space among the server's advisory locks

# A change of the table has another number; so nothing is ever migrated.
_VERSION = 1
# Results of a pass have the sample's id as name. Of no pass is what the first worker says of the
# system, and what went wrong with blocks.
NO_PASS, SYSTEM = -1, "system"
_RESULTS = """
CREATE TABLE results (
    run text NOT NULL,
    pass integer NOT NULL,
    name text NOT NULL,
    block text NOT NULL,
    line text NOT NULL,
    spent text NOT NULL DEFAULT '{}',
    read boolean NOT NULL DEFAULT false,
    made timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run, pass, name)
);
CREATE INDEX results_unread ON results (run, pass) WHERE NOT read;
CREATE INDEX results_block ON results (run, block);
"""
_CLOCK = """
SELECT extract(epoch FROM now())::float8, count(*) FROM procrastinate_workers
WHERE last_heartbeat > now() - make_interval(secs => %s)
"""
_FIRST = "SELECT line FROM results WHERE run = %s AND pass = %s AND name = %s"


def queue_url(operations: Operations, asked: str) -> str:
    """Return the connection string of the queue; its libraries are there.

    Args:
        asked: What needs it.

    Raises:
        UsageError: the variable is not set, or one is that earlier versions had.
        NotInstalledError: the extra is not installed.
    """
    url = operations.environment.get(VARIABLE, "")
    if not url:
        raise UsageError(
            f"{asked}: {VARIABLE} is not set",
            remedy="set it to a Postgres that this machine and the workers reach: "
            f"{MANUAL}/workers.md",
        )
    if operations.environment.get(_ROLE):
        raise UsageError(
            f"{_ROLE} is set, and workers have no roles any more",
            remedy="give workers that must not touch one another a database each, and unset it: "
            f"{MANUAL}/security.md",
        )
    try:
        import procrastinate  # noqa: F401
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        raise NotInstalledError(
            f"workers need a library: {error.name} is not installed",
            remedy=install_line("workers"),
        ) from error
    return url


def schema_name() -> str:
    """Return the schema of this version's tables.

    It names the last of the migrations that the installed Procrastinate brings, so that another
    Procrastinate makes tables of its own: a queue holds nothing that outlives its runs.
    """
    from procrastinate.schema import SchemaManager

    files = Path(SchemaManager.get_migrations_path()).glob("*.sql")
    release, number, *_ = max(path.name for path in files).split("_")
    return f"ragate_workers_{_VERSION}_{release.replace('.', '')}_{number}"


def make_tables(url: str) -> str:
    """Make the tables where they are not there; return their schema.

    Raises:
        DatabaseError: the server is out of reach, or its role may not make them.
    """
    import psycopg
    from procrastinate.schema import SchemaManager

    schema = schema_name()
    with connected(url, VARIABLE) as connection:
        try:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (_ADVISORY_CLASS,))
                row = connection.execute("SELECT to_regclass(%s)", (f"{schema}.results",))
                if row.fetchone() == (None,):
                    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
                    connection.execute(f"SET LOCAL search_path = {schema}".encode())
                    connection.execute(SchemaManager.get_schema().encode())
                    connection.execute(_RESULTS.encode())
        except psycopg.errors.InsufficientPrivilege as error:
            raise DatabaseError(
                f"the role of {VARIABLE} may not make or use the schema {schema}",
                remedy="as the database's owner: GRANT CREATE ON DATABASE … TO that role; all "
                "who use the queue log in with one role",
            ) from error
    return schema


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
            DatabaseError: the database did not come back.
        """

        async def call() -> list[tuple[Any, ...]]:
            async with self.pool.connection() as connection:
                cursor = await connection.execute(query.encode(), arguments)
                return [] if cursor.description is None else await cursor.fetchall()

        return await self.patient(call)

    async def clock(self) -> tuple[float, int]:
        """Return the server's time, in seconds since 1970, and how many workers live."""
        ((now, workers),) = await self.rows(_CLOCK, STALLED_S)
        return now, workers

    async def system(self, run: str) -> str | None:
        """Return what the first worker of a run said of the system; None where none has come."""
        rows = await self.rows(_FIRST, run, NO_PASS, SYSTEM)
        return rows[0][0] if rows else None


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
) -> AsyncIterator[Queue]:
    """Yield the queue behind `url`; its tables are made where they are not there.

    Raises:
        DatabaseError: it is out of reach, or its role may not make the tables.
    """
    from procrastinate import App, PsycopgConnector
    from psycopg_pool import AsyncConnectionPool, PoolTimeout

    # What goes wrong is told by us: with the remedy, and without a traceback for each try.
    for name in ("procrastinate", "psycopg.pool"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    schema = await asyncio.to_thread(make_tables, url)
    url = frozen(url, VARIABLE)
    options = f"-c search_path={schema}"
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
