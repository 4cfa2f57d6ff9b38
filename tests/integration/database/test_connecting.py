"""A connection string with the variables of the client library."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from ragate.database.connecting import frozen
from ragate.errors import DatabaseError

pytestmark = pytest.mark.integration
URL = "host=db.example.org dbname=of_this_test"


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    frozen.cache_clear()


def test_libpqs_variables_count_as_they_were_at_the_first_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPASSWORD", "first")
    frozen(URL, "RAGATE_RUNS_URL")
    monkeypatch.delenv("PGPASSWORD")

    assert conninfo_to_dict(frozen(URL, "RAGATE_RUNS_URL"))["password"] == "first"


def test_what_the_url_says_stands_before_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "elsewhere.example.org")

    assert conninfo_to_dict(frozen(URL, "RAGATE_RUNS_URL"))["host"] == "db.example.org"


def test_a_service_is_read_before_its_file_is_out_of_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "services").write_text("[mine]\nhost=db.example.org\nport=6000\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGSERVICE", "mine")

    found = conninfo_to_dict(frozen("dbname=of_this_test", "RAGATE_RUNS_URL"))

    assert (found["host"], found["port"]) == ("db.example.org", "6000")
    assert "service" not in found


def test_a_service_that_the_url_names_is_read_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "services").write_text("[mine]\nhost=db.example.org\nport=6000\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGHOST", "elsewhere.example.org")
    monkeypatch.setenv("PGSERVICE", "mine")

    found = conninfo_to_dict(frozen("service=mine port=7000", "RAGATE_QUEUE_URL"))
    unknown = conninfo_to_dict(frozen("service=nobodys", "RAGATE_QUEUE_URL"))

    assert (found["host"], found["port"], "service" in found) == ("db.example.org", "7000", False)
    assert unknown["service"] == "nobodys"
    assert os.environ["PGSERVICE"] == "mine"


def test_what_is_no_connection_string_is_named_by_its_variable() -> None:
    with pytest.raises(DatabaseError, match="RAGATE_QUEUE_URL is not a Postgres URL") as caught:
        frozen("postgres//secret-canary@host", "RAGATE_QUEUE_URL")

    assert "secret-canary" not in str(caught.value)
