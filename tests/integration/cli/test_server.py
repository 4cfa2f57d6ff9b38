"""The doctor and a real server: what it sees, and that it leaves the server as it was."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ragate.cli.doctor import under_test
from ragate.cli.doctor.examine import examine
from ragate.cli.finding import Finding, Status
from ragate.database.postgres import open_server

pytestmark = pytest.mark.integration

CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["pgvector"]
[policy.metrics."recall@5"]
level = "error"
[system]
use = "pgvector"
corpus = "docs"
"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Return a server of our own in which ragate was never at work."""
    own = open_server(tmp_path / "server")
    try:
        yield own.start()
    finally:
        own.release()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/a.md").write_text("# A\n\nText.\n")
    (folder / "ragate.toml").write_text(CONFIG)
    (folder / "golden.jsonl").write_text('{"id": "q1", "query": "A?", "relevant": {"a.md": 1}}\n')
    return folder


def database_of(project: Path, url: str) -> list[Finding]:
    environment = {"RAGATE_DATABASE_URL": url}
    found = examine(project, None, environment, today=datetime.date(2026, 11, 21))
    return [one for one in found if one.check in {"database", "index"}]


def test_a_server_by_url_is_asked_and_not_changed(project: Path, url: str) -> None:
    found = database_of(project, url)

    assert [one.status for one in found] == [Status.OK]
    assert "the server of RAGATE_DATABASE_URL: PostgreSQL" in found[0].message
    assert "pgvector 0." in found[0].message
    assert not under_test.inspect_server(url).schema
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone()
    assert row is None


def test_a_role_that_may_create_nothing_is_told_so(project: Path, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")

    found = database_of(project, f"{url} user=guest")

    assert [one.exit_code for one in found] == [3]
    assert "no schema" in found[0].message


def test_our_schema_in_another_version_is_a_problem(project: Path, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA ragate")
        connection.execute("CREATE TABLE ragate.version AS SELECT 99 AS version")

    found = database_of(project, url)

    assert [one.exit_code for one in found] == [3]
    assert "version 99" in found[0].message
