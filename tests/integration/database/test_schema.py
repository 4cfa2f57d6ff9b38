"""Our tables in a database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from ragate.database import PostgresDatabase, check_server
from ragate.errors import DatabaseError

pytestmark = pytest.mark.integration


@contextmanager
def own_database(database: PostgresDatabase, name: str) -> Iterator[str]:
    """Yield a connection string to a new, empty database on the session's server."""
    conninfo = database.conninfo()
    with closing(psycopg.connect(conninfo, autocommit=True)) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name}")
        yield psycopg.conninfo.make_conninfo(conninfo, dbname=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_many_may_create_the_schema_at_once(database: PostgresDatabase) -> None:
    failures: list[DatabaseError] = []

    def check(conninfo: str) -> None:
        try:
            check_server(conninfo)
        except DatabaseError as error:
            failures.append(error)

    with own_database(database, "ragate_test_many") as conninfo:
        threads = [threading.Thread(target=check, args=(conninfo,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failures == []


@pytest.mark.parametrize(("version", "word"), [(99, "newer"), (0, "older")])
def test_a_schema_of_another_version_is_refused(
    database: PostgresDatabase, version: int, word: str
) -> None:
    with own_database(database, f"ragate_test_{word}") as conninfo:
        check_server(conninfo)
        with psycopg.connect(conninfo) as connection:
            connection.execute("UPDATE ragate.version SET version = %s", (version,))
        with pytest.raises(DatabaseError, match=f"version {version}, {word}") as caught:
            check_server(conninfo)

    assert "DROP SCHEMA ragate CASCADE" in caught.value.remedy


def test_a_server_without_pgvector_is_named_with_a_remedy(database: PostgresDatabase) -> None:
    with own_database(database, "ragate_test_bare") as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            connection.execute("DROP ROLE IF EXISTS ragate_guest")
            connection.execute("CREATE ROLE ragate_guest LOGIN PASSWORD 'guest'")
        try:
            guest = psycopg.conninfo.make_conninfo(conninfo, user="ragate_guest", password="guest")
            with pytest.raises(DatabaseError, match="no pgvector extension") as caught:
                check_server(guest)
        finally:
            with psycopg.connect(conninfo, autocommit=True) as connection:
                connection.execute("DROP ROLE ragate_guest")

    assert "pgvector/pgvector" in caught.value.remedy
