"""Procrastinate's tables, made by one of its versions and used by another."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from procrastinate.schema import SchemaManager

from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError
from ragate.queue import schema
from ragate.queue.schema import check_engine, engine_version, migrate_engine, shipped
from ragate.queue.tables import ENGINE_SCHEMA
from tests.servers.queue import fresh_queue

pytestmark = pytest.mark.integration

OLD = "03.01.00_50"
FUNCTIONS = (
    "SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = %s::regnamespace "
    "ORDER BY 1, 2"
)
COLUMNS = (
    "SELECT table_name, column_name, data_type, column_default FROM information_schema.columns "
    "WHERE table_schema = %s ORDER BY 1, 2"
)


@pytest.fixture
def connection(database: PostgresDatabase) -> Iterator[psycopg.Connection[Any]]:
    with (
        fresh_queue(database.conninfo()) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Procrastinate that ships one migration more."""
    folder = tmp_path / "migrations"
    shutil.copytree(SchemaManager.get_migrations_path(), folder)
    (folder / "03.90.00_01_pre_more.sql").write_text("CREATE TABLE procrastinate_more (id int);")
    monkeypatch.setattr(SchemaManager, "get_migrations_path", staticmethod(lambda: str(folder)))
    return folder


def made_up_to(connection: psycopg.Connection[Any], last: str) -> None:
    """Make the tables as a Procrastinate did whose newest migration was this one."""
    connection.execute(f"CREATE SCHEMA {ENGINE_SCHEMA}".encode())
    connection.execute(f"SET search_path = {ENGINE_SCHEMA}".encode())
    for number, path in shipped().items():
        if number <= last:
            connection.execute(path.read_text().encode())
    said = f"Procrastinate, migrations up to {last}"
    connection.execute(f"COMMENT ON SCHEMA {ENGINE_SCHEMA} IS '{said}'".encode())
    connection.execute("RESET search_path")


def held(connection: psycopg.Connection[Any]) -> list[Any]:
    return [
        connection.execute(query.encode(), (ENGINE_SCHEMA,)).fetchall()
        for query in (FUNCTIONS, COLUMNS)
    ]


def test_older_tables_are_brought_to_those_that_are_made_now(
    connection: psycopg.Connection[Any], database: PostgresDatabase
) -> None:
    made_up_to(connection, OLD)
    with pytest.raises(DatabaseError, match=f"up to {OLD}, older than") as raised:
        check_engine(connection)

    steps = migrate_engine(connection)

    assert "ragate db migrate" in raised.value.remedy
    assert steps == sum(number > OLD for number in shipped())
    with (
        fresh_queue(database.conninfo()) as url,
        psycopg.connect(url, autocommit=True) as fresh,
    ):
        assert migrate_engine(fresh) == 1
        assert held(connection) == held(fresh)


def test_whoever_submits_brings_the_queue_to_a_newer_procrastinate(
    connection: psycopg.Connection[Any], newer: Path
) -> None:
    (newer / "03.90.00_01_pre_more.sql").rename(newer.parent / "kept.sql")
    schema.migrate_queue(connection)
    (newer.parent / "kept.sql").rename(newer / "03.90.00_01_pre_more.sql")

    assert not schema.is_made(connection)
    assert schema.migrate_queue(connection)[ENGINE_SCHEMA] == 1
    assert schema.is_made(connection)
    assert engine_version(connection) == "03.90.00_01"


def test_tables_of_before_this_was_noted_are_those_of_3_10(
    connection: psycopg.Connection[Any],
) -> None:
    migrate_engine(connection)
    connection.execute(f"COMMENT ON SCHEMA {ENGINE_SCHEMA} IS NULL".encode())

    check_engine(connection)
    assert migrate_engine(connection) == 0


def test_tables_of_a_newer_procrastinate_are_refused(
    connection: psycopg.Connection[Any], newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate_engine(connection)
    monkeypatch.undo()

    for use in (check_engine, migrate_engine):
        with pytest.raises(DatabaseError, match=r"03\.90\.00_01, which .* does not know"):
            use(connection)


def test_a_migration_that_fails_is_told_and_those_before_it_stay(
    connection: psycopg.Connection[Any], newer: Path
) -> None:
    made_up_to(connection, OLD)
    (newer / "03.91.00_01_pre_bad.sql").write_text("ALTER TABLE nowhere ADD COLUMN a int;")

    with pytest.raises(DatabaseError, match='relation "nowhere" does not exist'):
        migrate_engine(connection)

    assert engine_version(connection) == "03.90.00_01"
