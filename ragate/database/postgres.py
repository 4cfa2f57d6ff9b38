"""The database of one command: a server by URL, or the project's embedded one."""

import os
import re
import threading
from pathlib import Path
from typing import Self

from ragate.database.embedded import EmbeddedServer
from ragate.database.install import (
    PROJECT,
    abandoned,
    choose_home,
    find_account,
    find_programs,
    private_base,
    reachable,
)
from ragate.database.schema import check_server
from ragate.errors import DatabaseError

_PARAMETER = re.compile(r'URI query parameter: "([a-z_]{1,40})"')


class PostgresDatabase:
    """Implements `ragate.protocols.Database`; leaving the context releases the embedded server.

    Args:
        state: The project's folder for run files (``.ragate``).
        url: A Postgres URL or libpq connection string; None or "" for the embedded server.
    """

    def __init__(self, state: Path, *, url: str | None = None) -> None:
        self._state = state
        self._url = url or None
        self._server: EmbeddedServer | None = None
        self._checked: str | None = None
        self._variables: dict[str, str] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"PostgresDatabase({'by URL' if self._url else 'embedded'})"

    def conninfo(self) -> str:
        """Return a libpq connection string to a server with our schema.

        An embedded server that died since the last call is started again.

        Raises:
            DatabaseError: no server can be reached or started, or it cannot hold our index.
        """
        with self._lock:
            conninfo = self._embedded() if self._url is None else readable(self._url)
            if self._checked != conninfo:
                check_server(conninfo)
                self._checked = conninfo
            return conninfo

    def close(self) -> None:
        """Release the server; the last process that used an embedded one stops it."""
        with self._lock:
            if self._server is not None:
                self._server.release()
                self._server = None
            os.environ.update(self._variables)
            self._variables = {}
            self._checked = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _embedded(self) -> str:
        if self._server is None:
            self._server = open_server(self._state)
        # Every connection of this process goes to the embedded server until it is released.
        # Postgres' client library reads these for whatever a connection string leaves out:
        # PGHOSTADDR leads to another server, PGOPTIONS changes how ours answers, PGSERVICE may name
        # what is not there. https://www.postgresql.org/docs/current/libpq-envars.html
        for name in [name for name in os.environ if name.startswith("PG")]:
            self._variables[name] = os.environ.pop(name)
        return self._server.start()


def open_server(state: Path) -> EmbeddedServer:
    """Return the embedded server of the project with this state folder, started or not.

    Raises:
        DatabaseError: the wheel is absent, or no account or folder can hold the server.
    """
    try:
        import fcntl  # noqa: F401
    except ImportError as error:
        raise DatabaseError(
            "the embedded Postgres does not run on Windows",
            remedy="set RAGATE_DATABASE_URL to a Postgres with pgvector",
        ) from error
    account = find_account()
    programs = find_programs()
    home = choose_home(state, account)
    if account is not None:
        programs = reachable(programs, account, private_base())
    if (home / PROJECT).exists():
        for left in abandoned(home):
            EmbeddedServer(left, programs, account).remove_abandoned()
    return EmbeddedServer(home, programs, account)


def readable(url: str, variable: str = "RAGATE_DATABASE_URL") -> str:
    """Return `url` where it can be read as a connection string.

    Raises:
        DatabaseError: it cannot; its text is not repeated, since it may hold a password.
    """
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except (ProgrammingError, UnicodeEncodeError) as error:
        part, remedy = _odd_part(str(error), url)
        raise DatabaseError(f"{variable} is not a Postgres URL{part}", remedy=remedy) from None
    if _breaks_off(url):
        raise DatabaseError(
            f"{variable} is not a Postgres URL: an @ stands where none can",
            remedy="write @ and / of a password as %40 and %2F",
        )
    return url


def _odd_part(said: str, url: str) -> tuple[str, str]:
    """Return which part of a URL cannot be read, and how to write it; repeats no value.

    Args:
        said: What libpq says, which may hold a piece of the password.
    """
    named = _PARAMETER.search(said)
    if named is not None and re.search(rf"[?&]{named[1]}=?", url):
        name = named[1]
        if said.startswith("missing"):
            return f": the parameter {name!r} has no value", f"write ?{name}=value, or take it out"
        return (
            f": {name!r} is no parameter of Postgres",
            f"take {name} out of it: drivers of other languages read it, Postgres does not",
        )
    if said.startswith(("invalid percent-encoded", "unexpected spaces", "forbidden value")):
        return (
            ": user, password or database hold a character that stands for something else in a URL",
            "write % as %25, a blank as %20, @ as %40, / as %2F, ? as %3F and # as %23",
        )
    return "", "write it as postgresql://user:password@host:5432/database"


def _breaks_off(url: str) -> bool:
    """Return whether a password seems to end too early: the rest would be shown as host or name."""
    scheme, _, rest = url.strip().partition("://")
    if scheme not in ("postgres", "postgresql"):
        return False
    server, _, path = rest.partition("/")  # as libpq reads it: a password holds neither / nor @
    host, options, _ = (server.partition("@")[2] or server).partition("?")
    return "@" in host or (not options and "@" in path.partition("?")[0])
