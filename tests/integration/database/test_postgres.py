"""The way to a server, by its address or by the wheel."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from ragate.database import PostgresDatabase, install, postgres, schema
from ragate.errors import DatabaseError
from ragate.installed import install_line

pytestmark = pytest.mark.integration


def test_without_the_wheel_both_ways_to_a_database_are_named(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "WHEEL", "no_such_wheel")

    with pytest.raises(DatabaseError) as caught, PostgresDatabase(state) as database:
        database.conninfo()

    assert install_line("embedded") in caught.value.remedy
    assert "RAGATE_DATABASE_URL" in caught.value.remedy


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_unreachable_server_is_named_without_its_password(
    state: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"postgresql://me:secret-canary@{host}:9/db"
    monkeypatch.setattr(schema, "in_container", lambda: True)

    with pytest.raises(DatabaseError) as caught:
        PostgresDatabase(state, url=url).conninfo()

    assert f"{host}:9" in caught.value.message
    assert "service's name, such as postgres:5432" in caught.value.remedy
    assert "secret-canary" not in str(caught.value)
    assert "secret-canary" not in repr(PostgresDatabase(state, url=url))


def test_outside_a_container_localhost_needs_no_explanation(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "in_container", lambda: False)

    with pytest.raises(DatabaseError) as caught:
        PostgresDatabase(state, url="postgresql://127.0.0.1:9/db").conninfo()

    assert "container" not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "helps"),
    [
        ('connection failed: FATAL:  password authentication failed for user "u"', "the password"),
        ("connection failed: server does not support SSL, but SSL was required", "no TLS"),
        ("cannot execute CREATE TABLE in a read-only transaction", "may not write"),
        ("permission denied for schema ragate", "GRANT"),
        ("permission denied for database app", "GRANT"),
        ('database "app" does not exist', "createdb"),
        ("FATAL:  sorry, too many clients already", "max_connections"),
        ("server closed the connection unexpectedly", "went away"),
        ("connection failed: could not translate host name", "host's name"),
    ],
)
def test_the_cause_that_postgres_names_has_its_own_remedy(
    said: str, helps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "in_container", lambda: True)

    error = schema.describe(psycopg.OperationalError(said), "postgresql://u:p@localhost/db", "DB")

    assert helps in error.remedy
    assert "container" not in error.remedy


@pytest.mark.parametrize(
    ("url", "part", "helps"),
    [
        ("postgres://u:secret@h/db?pgbouncer=true", ": 'pgbouncer' is no parameter", "take it"),
        ("postgres://u:secret@h/db?sslmode", "'sslmode' has no value", "?sslmode=value"),
        ("postgres://u:secret%zz@h/db", "a character that stands for", "% as %25"),
        ("postgres://u:secret x@h/db", "a character that stands for", "a blank as %20"),
        ("mysql://u:secret@h/db", "", "postgresql://user"),
    ],
)
def test_the_part_of_a_url_that_cannot_be_read_is_named_and_no_value(
    url: str, part: str, helps: str
) -> None:
    with pytest.raises(DatabaseError, match=f"is not a Postgres URL.*{part}") as caught:
        postgres.readable(url)

    assert helps.replace("take it", "take pgbouncer out") in caught.value.remedy
    assert "secret" not in str(caught.value)


def test_a_url_that_cannot_be_read_is_not_repeated() -> None:
    with pytest.raises(DatabaseError, match="is not a Postgres URL") as caught:
        postgres.readable("postgres//me:secret-canary@host/db")

    assert "secret-canary" not in str(caught.value)
    assert caught.value.__cause__ is None
