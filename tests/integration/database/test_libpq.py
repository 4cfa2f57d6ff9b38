"""Variables of the client library."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest

from ragate.database import PostgresDatabase

pytestmark = pytest.mark.integration


def test_variables_of_the_client_library_do_not_reach_the_embedded_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    variables = {
        "PGHOSTADDR": "203.0.113.7",
        "PGSERVICE": "nobody",
        "PGOPTIONS": "-c search_path=elsewhere",
        "PGTZ": "Asia/Tokyo",
        "PGREQUIREAUTH": "scram-sha-256",
        "PGREQUIREPEER": "nobody",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    with PostgresDatabase(tmp_path) as database:
        with psycopg.connect(database.conninfo(), connect_timeout=5) as connection:
            row = connection.execute(
                "SELECT current_setting('search_path'), current_setting('timezone')"
            ).fetchone()
        assert row == ('"$user", public', "UTC")

    assert {name: os.environ.get(name) for name in variables} == variables


def test_variables_of_the_client_library_count_for_a_server_by_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with PostgresDatabase(tmp_path) as embedded:
        url = embedded.conninfo()
        monkeypatch.setenv("PGTZ", "Asia/Tokyo")
        with (
            PostgresDatabase(tmp_path / "other", url=url) as database,
            psycopg.connect(database.conninfo()) as connection,
        ):
            assert connection.execute("SHOW timezone").fetchone() == ("Asia/Tokyo",)
