"""``ragate db roles``."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from ragate.database.roles_sql import OURS
from ragate.queue.engine import open_queue
from ragate.queue.schema import make_schemas
from ragate.queue.serving_role import serving_role
from tests.servers.queue import fresh_queue

pytestmark = pytest.mark.integration
ROLES = ("ragate_cli_worker", "ragate_cli_gate")
OPTIONS = ("--worker", ROLES[0], "--submitter", ROLES[1])


def test_the_sql_is_printed_and_needs_no_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RAGATE_QUEUE_URL", raising=False)

    assert run(["db", "roles", *OPTIONS]) == 0

    assert f"GRANT ragate_workers TO {ROLES[0]}" in capsys.readouterr().out


def test_to_apply_it_the_server_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAGATE_QUEUE_URL", raising=False)

    assert run(["db", "roles", "--apply"]) == 2
    assert "RAGATE_QUEUE_URL" in capsys.readouterr().err


def test_applied_twice_it_is_the_same_and_a_migration_belongs_to_nobodys_role(
    server_of_our_own: PostgresDatabase,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with fresh_queue(server_of_our_own.conninfo()) as queue:
        monkeypatch.setenv("RAGATE_QUEUE_URL", queue)
        assert run(["db", "roles", *OPTIONS, "--apply"]) == 3
        assert "run `ragate db migrate` first" in capsys.readouterr().err
        make_schemas(queue)
        for _ in range(2):
            assert run(["db", "roles", *OPTIONS, "--apply"]) == 0
            assert capsys.readouterr().err == ""
        with psycopg.connect(queue, autocommit=True) as connection:
            connection.execute("DROP SCHEMA ragate_worker CASCADE")
            connection.execute("CREATE SCHEMA ragate_worker AUTHORIZATION ragate_owner")
            assert run(["db", "migrate"]) == 0
            query = (
                "SELECT DISTINCT proowner::regrole::text FROM pg_proc "
                "WHERE pronamespace::regnamespace::text LIKE 'ragate%'"
            )
            assert connection.execute(query).fetchall() == [("ragate_owner",)]
            connection.execute(f"ALTER ROLE {ROLES[0]} CREATEDB".encode())
            assert run(["db", "roles", *OPTIONS, "--apply"]) == 3
            assert f"{ROLES[0]} may do more" in capsys.readouterr().err
    with psycopg.connect(server_of_our_own.conninfo(), autocommit=True) as connection:
        connection.execute(f"DROP ROLE {', '.join((*ROLES, *OURS))}".encode())


def test_who_may_make_roles_and_is_no_superuser_makes_them_too(
    server_of_our_own: PostgresDatabase,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    server = server_of_our_own.conninfo()
    with psycopg.connect(server, autocommit=True) as admin, fresh_queue(server) as queue:
        admin.execute("CREATE ROLE ragate_cli_boss LOGIN CREATEROLE PASSWORD 'boss'")
        name = conninfo_to_dict(queue)["dbname"]
        admin.execute(f"ALTER DATABASE {name} OWNER TO ragate_cli_boss".encode())
        boss = make_conninfo(queue, user="ragate_cli_boss", password="boss")
        monkeypatch.setenv("RAGATE_QUEUE_URL", boss)
        for command in (["db", "migrate"], ["db", "roles", *OPTIONS, "--apply"], ["db", "migrate"]):
            assert run(command) == 0, capsys.readouterr().err
        assert "a superuser alone can forbid workers advisory locks" in capsys.readouterr().err
        assert asyncio.run(serving(boss)) == ROLES[0]
    with psycopg.connect(server, autocommit=True) as admin:
        names = (*ROLES, *OURS, "ragate_cli_boss")
        admin.execute(f"DROP ROLE {', '.join(names)}".encode())


async def serving(url: str) -> str:
    async with open_queue(url) as queue:
        return await serving_role(queue, "")
