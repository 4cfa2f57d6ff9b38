"""The engine's tables: made, and brought on by the migrations that Procrastinate ships.

Its tables do not say which of its migrations they have. So a comment on the schema does: the last
one's number. Tables without it were made by Procrastinate 3.10, the first that was taken.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.database.migrations import ADVISORY_CLASS
from ragate.errors import DatabaseError
from ragate.queue.tables import ENGINE_SCHEMA

if TYPE_CHECKING:
    import psycopg

MIGRATE = "`ragate db migrate`, with a role that may create schemas"
FIRST = "03.04.00_50"
_TABLES = {"procrastinate_jobs", "procrastinate_workers", "procrastinate_events"}
_SAYS = "Procrastinate, migrations up to "
_COMMENT = "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s"
_OWNER = "SELECT quote_ident(nspowner::regrole::name) FROM pg_namespace WHERE nspname = %s"


def shipped() -> dict[str, Path]:
    """Return the migrations of the Procrastinate that is installed, by number, in their order."""
    from procrastinate.schema import SchemaManager

    files = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    return {"_".join(path.name.split("_")[:2]): path for path in files}


def engine_is_there(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the engine's tables are there; asks what every role may.

    Raises:
        DatabaseError: some are there and others are not.
    """
    query = (
        "SELECT relname FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname = %s)"
    )
    names = {name for (name,) in connection.execute(query, (ENGINE_SCHEMA,))}
    if names and not names >= _TABLES:
        raise DatabaseError(
            f"the schema `{ENGINE_SCHEMA}` in this database lacks {min(_TABLES - names)!r}: it was "
            "made by hand, or only in part",
            remedy=f"rename it (`ALTER SCHEMA {ENGINE_SCHEMA} RENAME TO {ENGINE_SCHEMA}_old`) and "
            "run `ragate db migrate`",
        )
    return bool(names)


def engine_version(connection: psycopg.Connection[Any]) -> str:
    """Return the number of the last migration that the engine's tables have."""
    row = connection.execute(_COMMENT, (ENGINE_SCHEMA,)).fetchone()
    said = "" if row is None or row[0] is None else str(row[0])
    return said.removeprefix(_SAYS) if said.startswith(_SAYS) else FIRST


def check_engine(connection: psycopg.Connection[Any]) -> None:
    """See that the engine's tables are those of the Procrastinate that is installed.

    Raises:
        DatabaseError: they are older, or newer.
    """
    found = engine_version(connection)
    if found == max(shipped()):
        return
    if found in shipped():
        raise DatabaseError(
            f"the schema `{ENGINE_SCHEMA}` has Procrastinate's migrations up to {found}, older "
            f"than those of Procrastinate {version('procrastinate')} here ({max(shipped())})",
            remedy=MIGRATE,
        )
    raise DatabaseError(
        f"the schema `{ENGINE_SCHEMA}` has Procrastinate's migration {found}, which Procrastinate "
        f"{version('procrastinate')} here does not know",
        remedy="use the newer Procrastinate that made it: `pip install -U procrastinate`",
    )


def migrate_engine(connection: psycopg.Connection[Any]) -> int:
    """Make the engine's tables, or apply what they lack; return how many steps that took.

    Each migration is a transaction of its own, as a value that one adds to a type can be used by
    the next alone.

    Raises:
        DatabaseError: the role may not, a step failed, or the tables are newer.
    """
    import psycopg

    applied = 0
    try:
        while True:
            with connection.transaction():
                lock = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
                connection.execute(lock, (ADVISORY_CLASS, ENGINE_SCHEMA))
                if not _next_step(connection):
                    return applied
            applied += 1
    except psycopg.errors.InsufficientPrivilege as error:
        found = engine_version(connection) if engine_is_there(connection) else ""
        what = f"has migration {found}" if found else "is not there"
        raise DatabaseError(
            f"the schema `{ENGINE_SCHEMA}` {what}, and this role may not change that",
            remedy=MIGRATE,
        ) from error
    except psycopg.Error as error:
        raise DatabaseError(
            f"the schema `{ENGINE_SCHEMA}`: a migration of Procrastinate failed: "
            f"{str(error).splitlines()[0]}",
            remedy="those before it stay; mend that, then `ragate db migrate`",
        ) from error


def _next_step(connection: psycopg.Connection[Any]) -> bool:
    """Make the tables, or apply one migration; return False where nothing is left."""
    from procrastinate.schema import SchemaManager

    if not engine_is_there(connection):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {ENGINE_SCHEMA}".encode())
        _run(connection, SchemaManager.get_schema(), upto=max(shipped()))
        return True
    found = engine_version(connection)
    left = [number for number in shipped() if number > found]
    if not left:
        check_engine(connection)
        return False
    owner = connection.execute(_OWNER, (ENGINE_SCHEMA,)).fetchone()
    if owner is not None:  # what a step makes belongs to whom the schema belongs to
        connection.execute(f"SET LOCAL ROLE {owner[0]}".encode())
    _run(connection, shipped()[left[0]].read_text("utf-8"), upto=left[0])
    return True


def _run(connection: psycopg.Connection[Any], statements: str, *, upto: str) -> None:
    connection.execute(f"SET LOCAL search_path = {ENGINE_SCHEMA}".encode())
    connection.execute(statements.encode())
    connection.execute(f"COMMENT ON SCHEMA {ENGINE_SCHEMA} IS '{_SAYS}{upto}'".encode())
