"""The indexes of the built-in RAG that a trial makes, which nothing asks for once it has ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from psycopg import Error

from ragate import plugins
from ragate.config import Config
from ragate.errors import RagateError
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from ragate.systems.pgvector import tables

BUILT_IN = "pgvector"


@asynccontextmanager
async def dropping_indexes(
    stands: Config, operations: Operations, *, goes_on: bool
) -> AsyncIterator[list[Config]]:
    """Yield a list for the configurations of a trial that came to its end.

    Their indexes are dropped then, but for the one of the system as ragate.toml has it, and for
    those that were there before. A trial that is to go on names none: it needs its indexes.

    Args:
        stands: The configuration as ragate.toml has it.
        goes_on: The trial made its indexes before it was interrupted.
    """
    ended: list[Config] = []
    async with open_resources(stands, operations) as opened:
        conninfo = opened.system.database.conninfo()
        newest = 0 if goes_on else await _newest(conninfo)
        yield ended
        try:
            keys = await _keys(ended, operations) - await _keys([stands], operations)
            if keys:
                await _drop(conninfo, keys, newest)
        except (Error, RagateError) as error:
            operations.say(f"warning: indexes of the variants stay in the database: {error}")


async def _newest(conninfo: str) -> int:
    """Return the number of the newest index, 0 where there is none."""
    connection = await tables.connect(conninfo)
    try:
        cursor = await connection.execute("SELECT coalesce(max(id), 0) FROM ragate.indexes")
        row = await cursor.fetchone()
        return int(row[0]) if row else 0
    finally:
        await connection.close()


async def _keys(configs: Iterable[Config], operations: Operations) -> set[str]:
    """Return what names the indexes of configurations; another kind of system has none."""
    module, keys = plugins.load("systems", BUILT_IN), set[str]()
    for config in configs:
        if config.system.use == BUILT_IN:
            async with (
                open_resources(config, operations) as opened,
                module.create(config.system.settings, opened.system) as system,
            ):
                system.read()
                keys.add(system.work().key)
    return keys


async def _drop(conninfo: str, keys: Iterable[str], newest: int) -> None:
    """Drop indexes that are newer than `newest`; one that another process reads stays."""
    connection = await tables.connect(conninfo)
    try:
        cursor = await connection.execute(
            "SELECT id FROM ragate.indexes WHERE key = ANY(%s) AND id > %s", ([*keys], newest)
        )
        for (index_id,) in await cursor.fetchall():
            await tables.drop(tables.Index(connection, index_id, "", 0, 0, None))
    finally:
        await connection.close()
