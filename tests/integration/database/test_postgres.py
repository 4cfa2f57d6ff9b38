"""The way to a server, by its address or by the wheel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.database import PostgresDatabase, install, postgres, schema
from ragate.errors import DatabaseError
from ragate.support.installed import install_line

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


def test_a_url_that_cannot_be_read_is_not_repeated() -> None:
    with pytest.raises(DatabaseError, match="is not a Postgres URL") as caught:
        postgres.readable("postgres//me:secret-canary@host/db")

    assert "secret-canary" not in str(caught.value)
    assert caught.value.__cause__ is None
