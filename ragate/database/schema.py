"""Our schema in the database: the extension, the version, and what stands in its way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ragate.errors import DatabaseError
from ragate.machine_faults import in_container

if TYPE_CHECKING:
    import psycopg

SCHEMA_VERSION = 1
ADVISORY_CLASS = 0x7261_6761  # our number space among the server's advisory locks
MIN_VECTOR = (0, 7)  # the first with sparsevec
CONNECT_S = 10
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

_TABLES = """
CREATE SCHEMA IF NOT EXISTS ragate;
CREATE TABLE IF NOT EXISTS ragate.version (version integer NOT NULL);
CREATE TABLE IF NOT EXISTS ragate.indexes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text UNIQUE,
    corpus text NOT NULL,
    corpus_hash text NOT NULL,
    chunks bigint NOT NULL,
    total_length bigint NOT NULL,
    dimension integer,
    used_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO ragate.version SELECT {version} WHERE NOT EXISTS (SELECT FROM ragate.version);
"""


def check_server(conninfo: str) -> None:
    """Reach the server and bring our schema there, if it is not there yet.

    Raises:
        DatabaseError: unreachable, without pgvector (or one before 0.7), or with our schema in
            another version.
    """
    with reached(conninfo) as connection:
        if _found_version(connection) is None:
            _create(connection)
        _check_version(_found_version(connection))


@contextmanager
def reached(
    conninfo: str, variable: str = "RAGATE_DATABASE_URL"
) -> Iterator[psycopg.Connection[Any]]:
    """Yield a connection in autocommit mode.

    Args:
        variable: Where the server's address comes from, for messages.

    Raises:
        DatabaseError: the server is unreachable or breaks off.
    """
    import psycopg

    try:
        with psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_S) as connection:
            yield connection
    except psycopg.Error as error:
        raise describe(error, conninfo, variable) from error


def _found_version(connection: psycopg.Connection[Any]) -> int | None:
    table = connection.execute("SELECT to_regclass('ragate.version')").fetchone()
    if table is None or table[0] is None:
        return None
    row = connection.execute("SELECT version FROM ragate.version").fetchone()
    return None if row is None else int(row[0])


def _check_version(version: int | None) -> None:
    if version == SCHEMA_VERSION:
        return
    other = "newer" if version is not None and version > SCHEMA_VERSION else "older"
    raise DatabaseError(
        f"the schema `ragate` in this database has version {version}, {other} than this ragate's "
        f"{SCHEMA_VERSION}",
        remedy="use the ragate that made it, another database, or `DROP SCHEMA ragate CASCADE` "
        "(the next `ragate ingest` builds the index again)",
    )


def _create(connection: psycopg.Connection[Any]) -> None:
    """Create everything under one lock: IF NOT EXISTS alone can raise when two do it at once."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (ADVISORY_CLASS,))
        _ensure_vector(connection)
        connection.execute(_TABLES.format(version=SCHEMA_VERSION))


def _ensure_vector(connection: psycopg.Connection[Any]) -> None:
    import psycopg

    sql = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    row = connection.execute(sql).fetchone()
    if row is None:
        try:
            with connection.transaction():
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except (
            psycopg.errors.UndefinedFile,
            psycopg.errors.FeatureNotSupported,
            psycopg.errors.InsufficientPrivilege,
        ) as error:
            raise DatabaseError(
                f"the server has no pgvector extension: {first_line(error)}",
                remedy="use an image with pgvector, such as pgvector/pgvector:pg18, or let an "
                "administrator run CREATE EXTENSION vector in this database",
            ) from error
        row = connection.execute(sql).fetchone()
    version = str(row[0]) if row else "0"
    if tuple(int(part) for part in version.split(".")[:2]) < MIN_VECTOR:
        raise DatabaseError(
            f"the server's pgvector is {version}; sparse vectors need 0.7 or newer",
            remedy="upgrade pgvector, then ALTER EXTENSION vector UPDATE",
        )


def describe(
    error: BaseException, conninfo: str, variable: str = "RAGATE_DATABASE_URL"
) -> DatabaseError:
    """Return a DatabaseError that names the server and the reason, and never the password."""
    from psycopg.conninfo import conninfo_to_dict

    facts = {key: str(value) for key, value in conninfo_to_dict(conninfo).items()}
    host, port = facts.get("host", "local socket"), facts.get("port", "5432")
    reason = first_line(error)
    if password := facts.get("password"):
        reason = reason.replace(password, "***")
    return DatabaseError(
        f"Postgres at {host}:{port} (database {facts.get('dbname', '')!r}, user "
        f"{facts.get('user', '')!r}): {reason}",
        remedy=_remedy_of(getattr(error, "sqlstate", None), first_line(error), variable)
        or _remedy(host, variable),
    )


class _Cause(NamedTuple):
    """What Postgres says, by the beginning of its code or by its words, and what helps."""

    code: str
    words: str
    remedy: str


# What Postgres and its client say, in the order in which they are looked for: codes of
# https://www.postgresql.org/docs/current/errcodes-appendix.html, and words, since a connection that
# is refused has no code.
_CAUSES = (
    _Cause(
        "28P01",
        r"password authentication failed|no password supplied",
        "check the user and the password in {variable}",
    ),
    _Cause(
        "28000",
        r"no pg_hba\.conf entry|role \S+ does not exist|authentication failed",
        "check the user in {variable}, and that the server's pg_hba.conf lets it in from here",
    ),
    _Cause(
        "-",
        r"server does not support SSL",
        "the server speaks no TLS: switch it on there, or leave sslmode=require out of {variable}",
    ),
    _Cause(
        "-",
        r"certificate|SSL error",
        "check the server's certificate, and sslmode and sslrootcert in {variable}",
    ),
    _Cause(
        "3D000",
        r"database \S+ does not exist",
        "create the database (`createdb`), or name another in {variable}",
    ),
    _Cause(
        "25006",
        r"read-only transaction",
        "the server or the user may not write (a replica, default_transaction_read_only): name one "
        "that may in {variable}",
    ),
    _Cause(
        "42501",
        r"permission denied|must be owner",
        "let an administrator GRANT it to this user (CREATE on the database, USAGE and CREATE on "
        "the schema ragate), or name another user in {variable}",
    ),
    _Cause(
        "53300",
        r"too many (?:clients|connections)|remaining connection slots",
        "close other connections, or raise the server's max_connections",
    ),
    _Cause(
        "57P0",
        r"closed the connection|connection (?:is|was) (?:closed|lost)|terminating connection"
        r"|in recovery mode|starting up|shutting down",
        "the server went away in the middle: see its log, wait until it is back and start again; "
        "what was finished is kept",
    ),
    _Cause(
        "-",
        r"could not translate host name|Name or service not known|getaddrinfo|resolve host",
        "check the host's name in {variable}",
    ),
)


def _remedy_of(sqlstate: str | None, reason: str, variable: str) -> str:
    """Return what helps against the cause that was named, "" where another one was."""
    for code, words, remedy in _CAUSES:
        if (sqlstate or "").startswith(code) or re.search(words, reason, re.IGNORECASE):
            return remedy.format(variable=variable)
    return ""


def _remedy(host: str, variable: str) -> str:
    if host in _LOOPBACK and in_container():
        return (
            "inside a container localhost is the container itself: use the service's name, such "
            f"as postgres:5432, in {variable}"
        )
    return f"check {variable} and that the server runs; `ragate doctor` tells more"


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, its kind where it says nothing."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
