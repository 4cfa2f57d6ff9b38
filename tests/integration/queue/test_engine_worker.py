"""A worker whose database is gone for good."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError
from ragate.queue import engine
from ragate.queue.engine import open_queue
from ragate.queue.engine_worker import EngineWorker
from ragate.queue.leases import Leases
from ragate.queue.schema import make_schemas
from ragate.queue.submission import Submission
from tests.servers.queue import fresh_queue

pytestmark = pytest.mark.integration


def close(server: str, name: object) -> None:
    """Let nobody into a database any more."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        connection.execute(ended, (name,))


def test_a_worker_with_a_block_gives_up_once_and_says_why(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "CONNECT_S", 1)
    unseen: list[dict[str, Any]] = []

    async def go(url: str) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: unseen.append(about))
        async with open_queue(url, patience_s=2) as queue:
            submission = Submission(queue, "plan", "queue", "head")
            await submission.begin()
            await submission.add(0, ["a"], rebuilds=0)
            leases = Leases(queue)

            async def serve(plan: str, block: int, *, final: bool) -> None:
                lease = await leases.begin(plan, block)
                assert lease is not None
                close(database.conninfo(), conninfo_to_dict(url)["dbname"])
                await leases.append(lease, ["a"], ["x"])

            worker = EngineWorker(queue, ["queue"], serve, jobs=1, failed=lambda *_: None)
            async with asyncio.timeout(40):
                await worker.run()

    with fresh_queue(database.conninfo()) as url:
        make_schemas(url)
        with pytest.raises(DatabaseError) as caught:
            asyncio.run(go(url))

    assert "seconds" in caught.value.message
    assert "Database error" not in caught.value.message
    assert unseen == []
