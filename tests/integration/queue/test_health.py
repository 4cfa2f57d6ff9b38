"""What the doctor is told of a queue's server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ragate.cli.doctor.examine import queue as findings
from ragate.cli.finding import Finding
from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError, NotInstalledError, UsageError
from ragate.queue.engine import WORKER_PATH, open_queue
from ragate.queue.health import inspect_queue
from ragate.queue.schema import make_schemas, wait_for_schemas
from ragate.runtime.operations import read_operations
from tests.servers.queue import fresh_queue
from tests.servers.queue_roles import MAIN, PULL, SUBMITTER, logged_in

pytestmark = pytest.mark.integration


@pytest.fixture
def stranger(queue: str) -> Iterator[str]:
    with psycopg.connect(queue, autocommit=True) as connection:
        connection.execute("CREATE ROLE ragate_test_stranger LOGIN PASSWORD 'of-this-test'")
        yield make_conninfo(queue, user="ragate_test_stranger", password="of-this-test")
        connection.execute("DROP ROLE ragate_test_stranger")


def found(url: str, tmp_path: Path, **variables: str) -> list[Finding]:
    return [*findings(read_operations(tmp_path, {"RAGATE_QUEUE_URL": url, **variables}))]


def test_a_submitters_role_submits_and_a_workers_serves(queue: str) -> None:
    submitter, worker = (inspect_queue(logged_in(queue, role)) for role in (SUBMITTER, PULL))

    assert (submitter.may_submit, worker.may_submit, worker.may_work) == (True, False, True)
    assert submitter.serving == (MAIN, PULL)


def test_workers_with_a_heartbeat_are_counted(queue: str) -> None:
    register = "SELECT worker_id FROM ragate_worker.procrastinate_register_worker_v1()"
    before = inspect_queue(logged_in(queue, SUBMITTER)).up, inspect_queue(logged_in(queue, PULL)).up

    async def registered() -> None:
        async with open_queue(logged_in(queue, PULL), path=WORKER_PATH) as worker:
            await worker.rows(register)

    asyncio.run(registered())

    after = inspect_queue(logged_in(queue, SUBMITTER)).up, inspect_queue(logged_in(queue, PULL)).up
    assert after == (before[0] + 1, before[1] + 1)


def test_what_the_doctor_says_of_a_submitter(queue: str, tmp_path: Path) -> None:
    url = logged_in(queue, SUBMITTER)

    (finding,) = found(url, tmp_path, RAGATE_QUEUE_ROLE=PULL)

    assert finding.exit_code == 0
    assert "may submit runs" in finding.message
    with pytest.raises(UsageError, match="RAGATE_QUEUE_ROLE is not set"):
        found(url, tmp_path)


@pytest.mark.parametrize(
    "look",
    [
        lambda url, path: found(url, path),
        lambda url, _: wait_for_schemas(url, say=pytest.fail),
        lambda url, _: make_schemas(url),
    ],
    ids=["the doctor", "a worker", "a submitter"],
)
def test_a_role_without_rights_is_told_how_to_get_them(
    stranger: str, tmp_path: Path, look: Callable[[str, Path], object]
) -> None:
    with pytest.raises(DatabaseError, match="has no rights in the queue's schemas") as caught:
        look(stranger, tmp_path)

    assert "ragate db roles" in caught.value.remedy


def test_schemas_that_are_not_there_are_told(database: PostgresDatabase, tmp_path: Path) -> None:
    with fresh_queue(database.conninfo()) as url:
        (finding,) = found(url, tmp_path)
        assert (finding.exit_code, "makes the schemas" in finding.message) == (0, True)

        make_schemas(url)
        (finding,) = found(url, tmp_path)
        assert "may submit and serve runs" in finding.message

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE ragate_work.migrations SET checksum = 'by hand'")
        with pytest.raises(DatabaseError, match="only in part"):
            found(url, tmp_path)


def test_without_the_extra_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "procrastinate", None)

    with pytest.raises(NotInstalledError) as caught:
        found("postgresql://nowhere.example.org/queue", tmp_path)

    assert "[workers]" in caught.value.remedy


def test_the_doctor_looks_at_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ragate.cli.main import run

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_QUEUE_URL", "host=127.0.0.1 port=9 password=secret-canary")

    run(["doctor"])

    shown = " ".join(capsys.readouterr().out.split())
    assert "queue Postgres at 127.0.0.1:9" in shown
    assert "secret-canary" not in shown
