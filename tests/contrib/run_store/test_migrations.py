"""Schemas that change by versions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from ragate.contrib.run_store import migrations as module
from ragate.contrib.run_store.migrations import Migrations, check_version, migrate
from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError
from tests.integration.database.test_schema import own_database

pytestmark = pytest.mark.integration

FIRST = "CREATE TABLE toys.bears (name text); INSERT INTO toys.bears VALUES ('100 % wool')"
SECOND = "ALTER TABLE toys.bears ADD COLUMN age integer"
ONE = Migrations("toys", (FIRST,))
TWO = Migrations("toys", (FIRST, SECOND))

Act = Callable[[psycopg.Connection[Any], Migrations], object]
Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture(scope="module")
def own(database: PostgresDatabase) -> Iterator[str]:
    with own_database(database, "ragate_test_migrations") as conninfo:
        yield conninfo


@pytest.fixture
def connection(own: str) -> Iterator[Connection]:
    with closing(psycopg.connect(own, autocommit=True)) as connection:
        connection.execute("DROP SCHEMA IF EXISTS toys CASCADE")
        yield connection


def versions(connection: Connection) -> list[object]:
    found = connection.execute("SELECT version FROM toys.migrations ORDER BY version")
    return [version for (version,) in found]


def test_each_step_is_applied_once_and_in_order(connection: Connection) -> None:
    assert migrate(connection, ONE) == 1
    assert migrate(connection, TWO) == 1
    assert migrate(connection, TWO) == 0

    assert versions(connection) == [1, 2]
    assert connection.execute("SELECT name, age FROM toys.bears").fetchall() == [
        ("100 % wool", None)
    ]
    check_version(connection, TWO)


def test_many_may_migrate_at_once(own: str, connection: Connection) -> None:
    applied: list[int] = []

    def one() -> None:
        with psycopg.connect(own, autocommit=True) as mine:
            applied.append(migrate(mine, TWO))

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(applied) == 2
    assert len(applied) == 6
    assert versions(connection) == [1, 2]


def test_a_connection_that_is_no_autocommit_keeps_what_was_migrated(own: str) -> None:
    with psycopg.connect(own) as first:
        first.execute("DROP SCHEMA IF EXISTS toys CASCADE")
    with psycopg.connect(own) as second:
        migrate(second, TWO)
    with psycopg.connect(own) as third:
        check_version(third, TWO)


def test_a_step_that_fails_leaves_nothing_and_keeps_those_before_it(
    connection: Connection,
) -> None:
    broken = Migrations("toys", (FIRST, "CREATE TABLE toys.cars (); SELECT 1 / 0"))

    with pytest.raises(DatabaseError, match="`toys`: division by zero"):
        migrate(connection, broken)

    assert versions(connection) == [1]
    assert connection.execute("SELECT to_regclass('toys.cars')").fetchone() == (None,)
    assert migrate(connection, TWO) == 1


@pytest.mark.parametrize("made", [False, True])
def test_a_schema_that_is_not_there_or_empty_is_named_with_the_command(
    connection: Connection, made: bool
) -> None:
    if made:
        connection.execute("CREATE SCHEMA toys")

    with pytest.raises(DatabaseError, match="`toys` in this database is not there") as caught:
        check_version(connection, ONE)

    assert "ragate db migrate" in caught.value.remedy
    assert migrate(connection, ONE) == 1


def test_an_older_schema_is_named_with_the_command(connection: Connection) -> None:
    migrate(connection, ONE)

    with pytest.raises(
        DatabaseError, match="version 1, older than this ragate's version 2"
    ) as caught:
        check_version(connection, TWO)

    assert "ragate db migrate" in caught.value.remedy


@pytest.mark.parametrize("act", [check_version, migrate])
def test_a_newer_schema_is_refused_and_left_alone(connection: Connection, act: Act) -> None:
    migrate(connection, TWO)

    with pytest.raises(DatabaseError, match="version 2, newer than this ragate's 1") as caught:
        act(connection, ONE)

    assert "newer" in caught.value.remedy
    assert versions(connection) == [1, 2]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("DROP TABLE toys.migrations", "has the table 'bears' and no version"),
        ("DELETE FROM toys.migrations", "has the table 'bears' and no version"),
        ("DELETE FROM toys.migrations WHERE version = 1", "lacks step 1 of its 2"),
        ("UPDATE toys.migrations SET checksum = '' WHERE version = 2", "another step 2"),
    ],
)
@pytest.mark.parametrize("act", [check_version, migrate])
def test_a_migration_that_was_half_done_by_hand_is_refused(
    connection: Connection, damage: str, words: str, act: Act
) -> None:
    migrate(connection, TWO)
    connection.execute(damage.encode())

    with pytest.raises(DatabaseError, match=words) as caught:
        act(connection, TWO)

    assert "backup" in caught.value.remedy


def test_a_role_that_may_not_is_told_so(own: str, connection: Connection) -> None:
    connection.execute("DROP ROLE IF EXISTS ragate_stranger")
    connection.execute("CREATE ROLE ragate_stranger")
    migrate(connection, ONE)
    try:
        with psycopg.connect(own, autocommit=True) as stranger:
            stranger.execute("SET ROLE ragate_stranger")
            for act in (check_version, migrate):
                with pytest.raises(DatabaseError, match="permission denied") as caught:
                    act(stranger, TWO)
                assert "its owner" in caught.value.remedy
    finally:
        connection.execute("DROP ROLE ragate_stranger")


def test_a_lock_that_is_not_let_go_ends_the_wait(
    own: str, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOCK_S", 1)
    with psycopg.connect(own) as other:
        lock = "SELECT pg_advisory_lock(%s, hashtext('toys'))"
        other.execute(lock, (module.ADVISORY_CLASS,))

        with pytest.raises(DatabaseError, match="lock timeout") as caught:
            migrate(connection, ONE)

    assert "pg_locks" in caught.value.remedy
