"""The schemas of the queue, ours and the engine's: made where they are not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.database.budget_sql import MIGRATIONS as TRUST
from ragate.database.connecting import connected
from ragate.database.engine_sql import MIGRATIONS as WORKER
from ragate.database.migrations import ADVISORY_CLASS, check_version, migrate
from ragate.database.schema import first_line
from ragate.errors import DatabaseError, NotInstalledError
from ragate.queue.tables import ENGINE_SCHEMA, WORK
from ragate.support.installed import install_line
from ragate.version import MANUAL

if TYPE_CHECKING:
    import psycopg


MIGRATE = "`ragate db migrate`, with a role that may create schemas"
FIRST = "03.04.00_50"
_TABLES = {"procrastinate_jobs", "procrastinate_workers", "procrastinate_events"}
_SAYS = "Procrastinate, migrations up to "
_COMMENT = "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s"
_OWNER = "SELECT quote_ident(nspowner::regrole::name) FROM pg_namespace WHERE nspname = %s"
_USAGE = """
SELECT session_user::text, coalesce(bool_and(has_schema_privilege(oid, 'USAGE')), false)
FROM pg_namespace
WHERE nspname IN ('ragate_queue', 'ragate_trust', 'ragate_work', 'ragate_worker')
"""
_RIGHTS = """
SELECT has_table_privilege('ragate_work.plans', 'INSERT')
        AND has_table_privilege('ragate_queue.procrastinate_jobs', 'INSERT'),
    has_function_privilege('ragate_work.begin_block(text, integer)', 'EXECUTE')
        AND has_function_privilege('ragate_worker.procrastinate_register_worker_v1()', 'EXECUTE')
"""
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
            remedy=install_line("workers"),
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


# What the role that is logged in may do in the queue's schemas, which are there.


@dataclass(frozen=True)
class Rights:
    """What a role may do."""

    role: str
    may_submit: bool
    may_work: bool

    def refuse_submitting(self) -> None:
        """Raise a DatabaseError where the role may not submit runs."""
        if not self.may_submit:
            raise DatabaseError(
                f"the role {self.role!r} may not submit runs{', it serves them' * self.may_work}",
                remedy=_made("submitter"),
            )

    def refuse_working(self) -> None:
        """Raise a DatabaseError where the role may not serve runs."""
        if not self.may_work:
            raise DatabaseError(
                f"the role {self.role!r} may not serve runs{', it submits them' * self.may_submit}",
                remedy=_made("worker"),
            )


def rights_in(connection: psycopg.Connection[Any]) -> Rights:
    """Return what the role may do.

    Raises:
        DatabaseError: nothing.
    """
    role, may = connection.execute(_USAGE.encode()).fetchone() or ("", False)
    if not may:
        raise DatabaseError(
            f"the role {role!r} has no rights in the queue's schemas",
            remedy=f"`ragate db roles --worker {role} --apply`, or --submitter, as their owner",
        )
    submits, works = connection.execute(_RIGHTS.encode()).fetchone() or (False, False)
    return Rights(str(role), bool(submits), bool(works))


def _made(kind: str) -> str:
    return f"`ragate db roles --{kind} NAME --apply` makes a role that may: {MANUAL}/workers.md"


# The engine's tables: made, and brought on by the migrations that Procrastinate ships.
#
# Its tables do not say which of its migrations they have. So a comment on the schema does: the
# last one's number. Tables without it were made by Procrastinate 3.10, the first that was
# taken.


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
            f"{first_line(error)}",
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
