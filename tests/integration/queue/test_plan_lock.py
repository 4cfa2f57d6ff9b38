"""One process at a plan."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

from ragate.clients.budget import no_caps
from ragate.config import load_config
from ragate.errors import BudgetError, UsageError
from ragate.pipeline.run.ready_system import SystemRequest
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.workers.submit import opens_on_workers
from ragate.queue.engine import alone_at, open_queue
from ragate.runtime.operations import read_operations
from tests.projects import write_docs_project

pytestmark = pytest.mark.integration


def asked(root: Path, caps: str = "") -> SystemRequest:
    write_docs_project(root)
    path = root / "ragate.toml"
    path.write_text(path.read_text().replace("[policy]\n", f"[policy]\n{caps}\n", 1))
    return SystemRequest(load_config(path), read_operations(root, {}), Selection(), root.name)


def opened() -> Any:
    return cast("Any", SimpleNamespace(budget=no_caps()))


def test_a_plan_is_free_again_when_its_process_has_ended(url: str) -> None:
    async def main() -> None:
        async with open_queue(url) as queue:
            for _ in range(2):
                async with alone_at(queue, "plan"), alone_at(queue, "another"):
                    pass
                async with asyncio.timeout(60):
                    while await locked(url):  # noqa: ASYNC110 - the server is told, and does it
                        await asyncio.sleep(0.05)

    asyncio.run(main())


async def locked(url: str) -> int:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        row = await (await connection.execute(query)).fetchone()
    assert row is not None
    return int(row[0])


async def ends(url: str) -> list[tuple[Any, ...]]:
    """Return when the plan and the block ended, of each block that was submitted."""
    query = (
        "SELECT p.ended, b.ended FROM ragate_work.plans p JOIN ragate_work.blocks b USING (plan)"
    )
    async with await psycopg.AsyncConnection.connect(url) as connection:
        return await (await connection.execute(query)).fetchall()


def test_whoever_goes_on_with_a_run_that_is_under_way_takes_nothing_from_it(
    tmp_path: Path, url: str
) -> None:
    request, opens = asked(tmp_path), opens_on_workers(url)

    async def main() -> list[tuple[Any, ...]]:
        async with opens(request, opened()) as first:
            starting = asyncio.create_task(first.system.prepare())
            async with asyncio.timeout(60):
                while not await ends(url):  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.05)
            with pytest.raises(UsageError, match="still under way in another process"):
                async with opens(request, opened()):
                    pass
            found = await ends(url)
            starting.cancel()
        return found

    assert (None, None) in asyncio.run(main())


def test_a_worker_that_opens_its_system_for_ever_ends_the_run_with_its_time(
    tmp_path: Path, url: str
) -> None:
    request, opens = asked(tmp_path, "max_minutes = 0.01"), opens_on_workers(url)

    async def main() -> None:
        async with asyncio.timeout(120), opens(request, opened()) as first:
            await first.system.prepare()

    with pytest.raises(BudgetError, match="max_minutes"):
        asyncio.run(main())
