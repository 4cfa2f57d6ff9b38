"""One process at a plan, on whatever machine: a second one would take its blocks back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragate.database.connecting import ALIVE
from ragate.database.schema import CONNECT_S, describe
from ragate.errors import UsageError
from ragate.queue.engine import Queue
from ragate.queue.schema import VARIABLE

_CLASS = 0x7261_6771  # our number space among the server's advisory locks
# Of a machine that is gone the server hears nothing: it asks, and lets go of the lock.
_WATCHED = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
)


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
