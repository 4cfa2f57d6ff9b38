"""``ragate db migrate``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from ragate.queue.schema import shipped
from tests.integration.database.test_schema import own_database

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def url(database: PostgresDatabase) -> Iterator[str]:
    with own_database(database, "ragate_test_migrate") as conninfo:
        yield conninfo


def test_every_schema_of_a_server_is_made_and_then_up_to_date(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_QUEUE_URL", url)

    assert run(["db", "migrate"]) == 0
    said = capsys.readouterr().out
    assert "RAGATE_QUEUE_URL: ragate_trust: 1 step applied" in said
    assert f"ragate_queue (Procrastinate, {max(shipped())}): 1 step applied" in said

    assert run(["db", "migrate"]) == 0
    assert "RAGATE_QUEUE_URL: ragate_trust: up to date" in capsys.readouterr().out

    monkeypatch.setenv("RAGATE_RUNS_URL", url)
    assert run(["db", "migrate"]) == 0
    assert "RAGATE_RUNS_URL: ragate_runs: 1 step applied" in capsys.readouterr().out


def test_without_a_server_the_variables_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAGATE_QUEUE_URL", raising=False)

    assert run(["db", "migrate"]) == 2
    assert "RAGATE_QUEUE_URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    "url", ["postgres//secret-canary@host", "postgresql://u:secret-canary@127.0.0.1:9/d"]
)
def test_a_server_that_cannot_be_reached_names_the_variable_and_no_password(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_QUEUE_URL", url)

    assert run(["db", "migrate"]) == 3

    printed = capsys.readouterr().err
    assert "RAGATE_QUEUE_URL" in printed
    assert "secret-canary" not in printed
