"""The connection to the queue."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from ragate.queue.engine import alone_at, open_queue

pytestmark = pytest.mark.integration


def test_a_server_whose_machine_is_gone_is_not_waited_for_for_hours(url: str) -> None:
    async def main() -> str:
        async with open_queue(url) as queue, queue.pool.connection() as connection:
            return str(connection.info.get_parameters()["tcp_user_timeout"])

    assert asyncio.run(main()) == "30000"


def test_a_queue_that_libpqs_variables_lead_to_is_found_again_without_them(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = conninfo_to_dict(url)
    for key in ("host", "port", "user"):
        monkeypatch.setenv(f"PG{key.upper()}", str(facts[key]))

    async def go() -> None:
        async with open_queue(f"dbname={facts['dbname']}", patience_s=2) as queue:
            for name in ("PGHOST", "PGPORT", "PGUSER"):
                monkeypatch.delenv(name)  # as the embedded server of a RAG does
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            assert await queue.rows("SELECT 1") == [(1,)]
            async with alone_at(queue, "plan"):
                pass

    asyncio.run(go())
