"""The schemas of the queue, ours and the engine's: made where they are not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ragate.database.connecting import connected
from ragate.database.migrations import check_version, migrate
from ragate.database.trust.budget_sql import MIGRATIONS as TRUST
from ragate.database.trust.engine_sql import MIGRATIONS as WORKER
from ragate.errors import DatabaseError, NotInstalledError
from ragate.queue.engine_schema import MIGRATE, check_engine, engine_is_there, migrate_engine
from ragate.queue.rights import rights_in
from ragate.queue.tables import ENGINE_SCHEMA, WORK

if TYPE_CHECKING:
    import psycopg

VARIABLE = "RAGATE_QUEUE_URL"
_OURS = (TRUST, WORK, WORKER)
_PAUSE_S = 2.0


def require_engine() -> None:
    """Raise where the extra is not installed.

    Raises:
        NotInstalledError: it is not.
    """
    try:
        import procrastinate  # noqa: F401
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        raise NotInstalledError(
            f"workers need a library: {error.name} is not installed",
            remedy="pip install 'ragate[workers]'",
        ) from error


def make_schemas(url: str) -> None:
    """See that every schema is there; make those that are not.

    Raises:
        DatabaseError: the server is out of reach, or a schema is not there and may not be made.
    """
    with connected(url, VARIABLE) as connection:
        if are_there(connection):
            rights_in(connection)
        if not is_made(connection):
            migrate_queue(connection)
        rights_in(connection).refuse_submitting()


def migrate_queue(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Bring every schema up to date; return how many steps each took.

    Raises:
        DatabaseError: a step failed; those before it stay.
    """
    require_engine()
    return {
        ENGINE_SCHEMA: migrate_engine(connection),
        **{each.schema: migrate(connection, each) for each in _OURS},
    }


def wait_for_schemas(url: str, *, say: Callable[[str], None]) -> None:
    """Wait until the schemas are there: a worker may be started before whoever submits.

    Raises:
        DatabaseError: the server is out of reach, or a schema is there in another version.
    """
    told = False
    with connected(url, VARIABLE) as connection:
        while not are_there(connection):
            if not told:
                say(f"waits for the queue's schemas: the first run makes them, or {MIGRATE}")
            told = True
            time.sleep(_PAUSE_S)
        check_versions(connection)
        rights_in(connection).refuse_working()


def check_versions(connection: psycopg.Connection[Any]) -> None:
    """See that our schemas, which are there, are of this ragate, and that this role may read that.

    Raises:
        DatabaseError: one is of another version, or half done; the role has no rights.
    """
    rights_in(connection)
    check_engine(connection)
    for each in _OURS:
        check_version(connection, each)


def is_made(connection: psycopg.Connection[Any]) -> bool:
    """Return whether every schema is there, in this ragate's version."""
    if not engine_is_there(connection):
        return False
    try:
        check_versions(connection)
    except DatabaseError:
        return False
    return True


def are_there(connection: psycopg.Connection[Any]) -> bool:
    """Return whether every schema is there, in whatever version."""
    query = (
        "SELECT count(*) FROM pg_class WHERE relname = 'migrations' AND relkind = 'r' "
        "AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname = ANY(%s))"
    )
    row = connection.execute(query, ([each.schema for each in _OURS],)).fetchone()
    return row == (len(_OURS),) and engine_is_there(connection)
