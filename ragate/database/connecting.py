"""A connection to a server that a variable names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ragate.database.postgres import readable
from ragate.database.schema import CONNECT_S, describe

if TYPE_CHECKING:
    import psycopg

# A server's machine that is gone sends no word: without these a query waits for hours.
ALIVE: dict[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "tcp_user_timeout": 30_000,
}


@contextmanager
def connected(url: str, variable: str) -> Iterator[psycopg.Connection[Any]]:
    """Yield a connection in autocommit mode.

    Args:
        variable: Where the URL comes from, for messages.

    Raises:
        DatabaseError: the URL cannot be read, or the server is unreachable or breaks off.
    """
    import psycopg

    conninfo = readable(url, variable)
    try:
        with psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_S) as connection:
            yield connection
    except psycopg.Error as error:
        raise describe(error, conninfo, variable) from error
