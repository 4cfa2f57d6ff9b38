"""Telling an outage from a mistake: was what foreign code asked for not there to answer?

A database that is down raises on every sample alike. That says nothing about the change, so such a
sample is not measured, rather than wrong.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator

_ERRNOS = frozenset(
    {
        errno.ECONNREFUSED,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.ETIMEDOUT,
    }
)
# Postgres: connection exceptions, and a server that starts, stops, crashed or takes no more.
# https://www.postgresql.org/docs/current/errcodes-appendix.html
_STATES = ("08", "57P01", "57P02", "57P03", "53300")
# Errors of clients that tell a lost or refused connection by their class alone.
_CLASSES = {
    "psycopg.OperationalError",
    "psycopg2.OperationalError",
    "pymongo.AutoReconnect",
    "redis.ConnectionError",
}
_CLOSED = ("connection already closed", "connection is closed")
_MOST = 20  # errors in a chain


def is_outage(error: BaseException) -> bool:
    """Return whether an exception, or one that it came from, is a connection that failed."""
    return any(map(_is_lost, _chain(error)))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came from, each once."""
    yielded: set[int] = set()
    left: list[BaseException] = [error]
    while left and len(yielded) < _MOST:
        each = left.pop()
        if id(each) in yielded:
            continue
        yielded.add(id(each))
        yield each
        causes = [each.__cause__, None if each.__suppress_context__ else each.__context__]
        causes.append(getattr(each, "orig", None))  # SQLAlchemy's name for the driver's error
        several = getattr(each, "exceptions", ())  # of a group, which Python 3.9 does not know
        causes += several if isinstance(several, tuple) else ()
        left += [cause for cause in causes if isinstance(cause, BaseException)]


def _is_lost(error: BaseException) -> bool:
    if isinstance(error, (ConnectionError, socket.gaierror)):
        return True
    if isinstance(error, OSError):
        return error.errno in _ERRNOS
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    if isinstance(state, str) and state:
        return state.startswith(_STATES)
    if _CLASSES & set(_names(error)):
        return True
    root = type(error).__module__.partition(".")[0]
    closed = str(error).startswith(_CLOSED)
    return closed and root in {"asyncpg", "psycopg2"}


def _names(error: BaseException) -> Iterator[str]:
    """Yield the classes of an error by package and name: where in the package varies."""
    for kind in type(error).__mro__:
        yield f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
