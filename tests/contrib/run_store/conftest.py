"""A run store of this test alone, and a project that writes into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ragate.contrib.run_store.connect import MIGRATIONS
from ragate.contrib.run_store.migrations import migrate
from ragate.database import PostgresDatabase
from ragate.stores.local import LocalStore
from tests.integration.database.test_schema import own_database
from tests.integration.resume.conftest import root as root
from tests.integration.resume.conftest import service as service


@pytest.fixture(scope="module")
def server(database: PostgresDatabase) -> Iterator[str]:
    with own_database(database, "ragate_test_runs") as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            migrate(connection, MIGRATIONS)
        yield conninfo


@pytest.fixture
def url(server: str) -> Iterator[str]:
    """An empty run store."""
    yield server
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("TRUNCATE ragate_runs.runs")


@pytest.fixture
def project(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose runs are sent to the store."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_RUNS_URL", url)
    (tmp_path / "ragate.toml").write_text(
        '[policy]\ndataset = "g.jsonl"\nbaseline = "b.json"\nsystems = ["replay"]\n'
        '[policy.metrics.mrr]\n[system]\nuse = "replay"\npath = "o.jsonl"\n'
    )
    return tmp_path


@pytest.fixture
def store(project: Path) -> LocalStore:
    return LocalStore(project / ".ragate")
