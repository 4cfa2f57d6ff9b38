"""``ragate db migrate``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.integration.database.test_schema import own_database

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def url(database: PostgresDatabase) -> Iterator[str]:
    with own_database(database, "ragate_test_migrate") as conninfo:
        yield conninfo


def test_the_schema_is_made_and_then_up_to_date(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_RUNS_URL", url)

    assert run(["db", "migrate"]) == 0
    assert "RAGATE_RUNS_URL: ragate_runs: 2 steps applied" in capsys.readouterr().out

    assert run(["db", "migrate"]) == 0
    assert "RAGATE_RUNS_URL: ragate_runs: up to date" in capsys.readouterr().out


def test_without_a_server_the_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAGATE_RUNS_URL", raising=False)

    assert run(["db", "migrate"]) == 2
    assert "RAGATE_RUNS_URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    "url", ["postgres//secret-canary@host", "postgresql://u:secret-canary@127.0.0.1:9/d"]
)
def test_a_server_that_cannot_be_reached_names_the_variable_and_no_password(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_RUNS_URL", url)

    assert run(["db", "migrate"]) == 3

    printed = capsys.readouterr().err
    assert "RAGATE_RUNS_URL" in printed
    assert "secret-canary" not in printed
