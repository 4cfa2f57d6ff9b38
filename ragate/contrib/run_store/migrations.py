"""Schemas of ours that change by versions: brought up to date by a command, checked by all others.

A migration is a list of steps that only grows. Each step is applied in one transaction together
with the row that says so, so that a step which fails or is killed leaves nothing behind.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragate.database.schema import first_line
from ragate.errors import DatabaseError

if TYPE_CHECKING:
    import psycopg

# Seconds for a lock: whoever may connect can take an advisory lock, and must not stop us for good.
LOCK_S = 60
ADVISORY_CLASS = 0x7261_676D  # our number space among the server's advisory locks
MIGRATE = "ragate db migrate"


@dataclass(frozen=True)
class Migrations:
    """The history of one schema.

    Attributes:
        schema: Its name; it is made where it is not there.
        steps: SQL that leads from version n - 1 to n, one or more statements each. A step that was
            released never changes: what is wrong with it is mended by another step.
    """

    schema: str
    steps: tuple[str, ...]

    @property
    def checksums(self) -> tuple[str, ...]:
        """The steps as the database remembers them: SHA-256 of the text, in hexadecimal."""
        return tuple(hashlib.sha256(step.encode()).hexdigest() for step in self.steps)


def migrate(connection: psycopg.Connection[Any], migrations: Migrations) -> int:
    """Bring the schema to the newest version; return how many steps that took.

    Two that do it at once take turns. Run outside of a transaction: each step is one.

    Raises:
        DatabaseError: a step failed (those before it stay), the schema is newer, or it is not what
            its version says.
    """
    import psycopg

    applied = 0
    while True:
        try:
            with connection.transaction():
                if not _next_step(connection, migrations):
                    return applied
        except psycopg.Error as error:
            raise _failed(error, migrations.schema) from error
        applied += 1


def check_version(connection: psycopg.Connection[Any], migrations: Migrations) -> None:
    """See that the schema is the one that this ragate works with; changes nothing.

    Raises:
        DatabaseError: it is not there, older, newer, or not what its version says.
    """
    import psycopg

    try:
        with connection.transaction():
            found = _found(connection, migrations.schema)
    except psycopg.Error as error:
        raise _failed(error, migrations.schema) from error
    _refuse_other(migrations, found)
    if len(found) < len(migrations.steps):
        what = f"has version {len(found)}, older than" if found else "is not there:"
        raise DatabaseError(
            f"the schema `{migrations.schema}` in this database {what} this ragate's "
            f"version {len(migrations.steps)}",
            remedy=f"`{MIGRATE}`, with a role that owns it or may create it",
        )


def _next_step(connection: psycopg.Connection[Any], migrations: Migrations) -> bool:
    """Apply one step under the lock; return False where there is none to apply."""
    from psycopg import sql

    schema = sql.Identifier(migrations.schema)
    connection.execute(f"SET LOCAL lock_timeout = '{LOCK_S}s'".encode())
    lock = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
    connection.execute(lock, (ADVISORY_CLASS, migrations.schema))
    found = _found(connection, migrations.schema)
    _refuse_other(migrations, found)
    version = len(found) + 1
    if version > len(migrations.steps):
        return False
    owner = _owner(connection, migrations.schema)
    if owner is not None:  # what a step makes belongs to whom the schema belongs to
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(owner)))
    if version == 1:
        if owner is None:  # IF NOT EXISTS asks for the right to create
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
        table = (
            "CREATE TABLE IF NOT EXISTS {}.migrations (version integer PRIMARY KEY, "
            "checksum text NOT NULL, applied timestamptz NOT NULL DEFAULT now())"
        )
        connection.execute(sql.SQL(table).format(schema))
    connection.execute(migrations.steps[version - 1].encode())
    row = (version, migrations.checksums[version - 1])
    insert = sql.SQL("INSERT INTO {}.migrations VALUES (%s, %s)").format(schema)
    connection.execute(insert, row)
    return True


def _found(connection: psycopg.Connection[Any], schema: str) -> list[tuple[int, str]]:
    """Return version and checksum of what was applied, in order; [] where there is no schema.

    Raises:
        DatabaseError: there are tables, and nothing says of which version.
    """
    from psycopg import sql

    query = "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s)::oid"
    quoted = sql.Identifier(schema).as_string(connection)
    names = {name for (name,) in connection.execute(query, (quoted,))}
    rows: list[tuple[int, str]] = []
    if "migrations" in names:
        applied = sql.SQL("SELECT version, checksum FROM {}.migrations ORDER BY version")
        rows = connection.execute(applied.format(sql.Identifier(schema))).fetchall()
    others = names - {"migrations", "migrations_pkey"}
    if others and not rows:
        raise _half_done(schema, f"has the table {min(others)!r} and no version")
    return rows


def _owner(connection: psycopg.Connection[Any], schema: str) -> str | None:
    query = "SELECT rolname FROM pg_namespace, pg_roles r WHERE nspowner = r.oid AND nspname = %s"
    row = connection.execute(query, (schema,)).fetchone()
    return None if row is None else str(row[0])


def _refuse_other(migrations: Migrations, found: list[tuple[int, str]]) -> None:
    """Refuse a schema whose history is not the beginning of ours.

    Raises:
        DatabaseError: it is newer, or a step of it is missing or is another one.
    """
    if len(found) > len(migrations.steps):
        raise DatabaseError(
            f"the schema `{migrations.schema}` in this database has version {found[-1][0]}, newer "
            f"than this ragate's {len(migrations.steps)}",
            remedy="use the ragate that migrated it, or a newer one",
        )
    pairs = zip(found, migrations.checksums, strict=False)
    for version, ((number, checksum), own) in enumerate(pairs, start=1):
        if number != version:
            raise _half_done(migrations.schema, f"lacks step {version} of its {found[-1][0]}")
        if checksum != own:
            raise _half_done(migrations.schema, f"was made with another step {version}")


def _half_done(schema: str, what: str) -> DatabaseError:
    return DatabaseError(
        f"the schema `{schema}` in this database {what}: it was migrated by hand, only in part, or "
        "by another build of ragate",
        remedy=f"restore it from a backup, or rename it (`ALTER SCHEMA {schema} RENAME TO "
        f"{schema}_old`) and run `{MIGRATE}`",
    )


def _failed(error: psycopg.Error, schema: str) -> DatabaseError:
    import psycopg

    remedy = "see what the server says; nothing of this step was kept"
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        remedy = f"use a role that may: to make or migrate `{schema}`, its owner"
    elif isinstance(error, psycopg.errors.LockNotAvailable):
        remedy = "end what holds it (`SELECT * FROM pg_locks`), then run the command again"
    elif isinstance(error, psycopg.OperationalError):
        remedy = "see that the server runs, then run the command again"
    return DatabaseError(f"the schema `{schema}`: {first_line(error)}", remedy=remedy)
