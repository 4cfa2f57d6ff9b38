"""A store that cannot be used is told with what to do, and without its password."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from ragate.cli.main import run
from ragate.contrib.run_store.connect import connected, store_key
from ragate.database import PostgresDatabase
from tests.integration.database.test_schema import own_database

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgres//secret-canary@host", "RAGATE_RUNS_URL is not a Postgres URL"),
        ("postgresql://me:secret-canary@127.0.0.1:9/runs", "Postgres at 127.0.0.1:9"),
        ("host=127.0.0.1 port=9 password=secret-canary", "RAGATE_RUNS_URL"),
        ("postgresql://me:half/secret-canary@127.0.0.1:9/runs", "write @ and / of a password"),
        ("postgresql://me:half@secret-canary@127.0.0.1:9/runs", "write @ and / of a password"),
        ("postgresql://me:half?a@secret-canary@127.0.0.1:9/runs", "write @ and / of a password"),
    ],
)
def test_a_url_that_leads_nowhere_is_named_without_its_password(
    url: str,
    message: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RAGATE_RUNS_URL", url)

    assert run(["runs", "list"]) == 3

    error = capsys.readouterr().err
    assert message in error
    assert "secret-canary" not in error


def test_doctor_says_whether_the_store_can_be_used(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["doctor"])
    assert "run store" in (shown := capsys.readouterr().out)
    assert "reachable, and of this ragate" in shown

    monkeypatch.setenv("RAGATE_RUNS_URL", "host=127.0.0.1 port=9 password=secret-canary")
    run(["doctor"])
    assert "run store: Postgres at 127.0.0.1:9" in (shown := capsys.readouterr().out)
    assert "secret-canary" not in shown


def test_a_server_without_the_schema_names_the_command_that_makes_it(
    project: Path,
    database: PostgresDatabase,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with own_database(database, "ragate_test_no_runs") as url:
        monkeypatch.setenv("RAGATE_RUNS_URL", url)

        assert run(["runs", "list"]) == 3

    assert "ragate db migrate" in capsys.readouterr().err


def test_a_store_of_a_newer_ragate_is_refused(
    project: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO ragate_runs.migrations VALUES (3, 'later')")
        try:
            assert run(["runs", "list"]) == 3
        finally:
            connection.execute("DELETE FROM ragate_runs.migrations WHERE version = 3")

    assert "has version 3, newer than" in capsys.readouterr().err


def test_a_store_is_one_whoever_is_connected() -> None:
    keys = {store_key(f"postgresql://{who}@db.example.org/runs") for who in ("a:1", "b:2")}

    assert len(keys) == 1


@pytest.mark.parametrize(
    ("statement", "remedy"),
    [
        ("SELECT * FROM ragate_runs.nothing", "ragate db migrate"),
        ("SET TRANSACTION READ ONLY; CREATE TABLE ragate_runs.x ()", "only reads"),
    ],
)
def test_a_store_that_cannot_be_written_or_was_changed_is_told_with_what_to_do(
    statement: str, remedy: str, url: str
) -> None:
    from ragate.errors import DatabaseError

    with pytest.raises(DatabaseError, match="run store: ") as raised, connected(url) as connection:
        connection.execute(statement.encode())

    assert remedy in raised.value.remedy


def test_a_connection_that_breaks_inside_is_told_as_the_stores(url: str) -> None:
    from ragate.errors import DatabaseError

    with pytest.raises(DatabaseError, match="run store: "), connected(url) as connection:
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
