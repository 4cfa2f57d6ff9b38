"""What an exception of the project's code tells: each error of its chain with file and line."""

from __future__ import annotations

import errno
import socket
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

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
    "ragate.ProviderError",
    "redis.ConnectionError",
}
_CLOSED = ("connection already closed", "connection is closed")
MOST_CAUSES = 10
MOST_OF_A_TRACE = 20_000  # characters
_LONGEST_TEXT = 800
_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_OURS = Path(__file__).absolute().parent


def summary(error: BaseException, root: str) -> str:
    """Return an exception with its place, and what it came from: a line unless its text has more.

    Args:
        root: The project's folder; files below it are told relative to it.
    """
    return "; caused by ".join(_told(each, root) for each in _chain(error))


def trace(error: BaseException, root: str) -> str:
    """Return the traceback, causes first, with the frames of the project alone.

    An error that has none keeps its last frame: nothing else says where it was raised.
    """
    told = traceback.TracebackException.from_exception(error)
    current: traceback.TracebackException | None = told
    for _ in range(MOST_CAUSES):
        if current is None:
            break
        own = [each for each in current.stack if is_own(Path(each.filename).absolute(), Path(root))]
        current.stack = traceback.StackSummary.from_list(own or current.stack[-1:])
        current = current.__cause__ or current.__context__
    text = "".join(told.format())
    return text if len(text) <= MOST_OF_A_TRACE else f"…{text[-MOST_OF_A_TRACE:]}"


def place(error: BaseException, root: str) -> str:
    """Return where an exception was raised, as ``rag.py:12, in answer``; "" where that is unknown.

    The last line of the project counts, since what a library does below it is of no help; without
    one, the last line there is.
    """
    folder = Path(root)
    if isinstance(error, SyntaxError) and error.filename:
        file = Path(error.filename).absolute()
        return f"{file.relative_to(folder) if is_own(file, folder) else file}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    named = [frame for frame in frames if not frame.filename.startswith("<")]
    lines = [(Path(frame.filename).absolute(), frame) for frame in named]
    lines = [line for line in lines if _OURS not in line[0].parents]
    own = [line for line in lines if is_own(line[0], folder)]
    if not lines:
        return ""
    path, last = (own or lines)[-1]
    return f"{path.relative_to(folder) if own else path}:{last.lineno}, in {last.name}"


def text_of(error: BaseException) -> str:
    """Return what an exception says, whatever its class does when it is asked."""
    try:
        # What a class of its own may return is text of its own: this one is Python's.
        return str.__str__(str(error.msg if isinstance(error, SyntaxError) else error))
    except BaseException:  # noqa: BLE001 - foreign code
        return "(its text cannot be had)"


def _told(error: BaseException, root: str) -> str:
    text = text_of(error)[:_LONGEST_TEXT]
    head = f"{type(error).__name__}: {text}" if text else type(error).__name__
    where = place(error, root)
    return f"{head} ({where})" if where else head


def _chain(error: BaseException) -> list[BaseException]:
    """Return an error and what it came from, as a traceback goes, each once."""
    chain: list[BaseException] = []
    left: list[object] = [error]
    while left and len(chain) < MOST_CAUSES:
        each = left.pop(0)
        if not isinstance(each, BaseException) or any(each is one for one in chain):
            continue
        chain.append(each)
        several = getattr(each, "exceptions", ())  # of a group, which Python 3.9 does not know
        left = [
            each.__cause__,
            *(several if isinstance(several, tuple) else ()),
            None if each.__suppress_context__ else each.__context__,
            getattr(each, "orig", None),  # SQLAlchemy's name for the driver's error
            *left,
        ]
    return chain


def is_own(path: Path, root: Path) -> bool:
    """Return whether a file is the project's, and not of an environment inside of its folder."""
    if root not in path.parents or _LIBRARIES & {*path.parts}:
        return False
    prefix = Path(sys.prefix).absolute()
    return root not in prefix.parents or prefix not in path.parents


# Telling an outage from a mistake: was what foreign code asked for not there to answer?
#
# A database that is down raises on every sample alike. That says nothing about the change, so
# such a sample is not measured, rather than wrong.


def is_outage(error: BaseException) -> bool:
    """Return whether an exception, or one that it came from, is a connection that failed."""
    return any(map(_is_lost, _chain(error)))


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
    return root in {"asyncpg", "psycopg2"} and text_of(error).startswith(_CLOSED)


def _names(error: BaseException) -> Iterator[str]:
    """Yield the classes of an error by package and name: where in the package varies."""
    for kind in type(error).__mro__:
        yield f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
