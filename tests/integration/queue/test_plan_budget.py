"""The caps of a policy when workers ask the questions: of all of them together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

from ragate.clients.budget import Budget, no_caps
from ragate.clients.budget_share import PlannedCall
from ragate.config import load_config
from ragate.database import PostgresDatabase
from ragate.errors import BudgetError
from ragate.pipeline.run.opened_system import SystemRequest
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.workers.plan_budget import shared
from ragate.pipeline.workers.submit import opens_on_workers
from ragate.queue.engine import open_queue
from ragate.queue.schema import make_schemas
from ragate.stores.local import LocalStore
from ragate.stores.spent_calls import SpentCalls
from tests.integration.queue.machines import Machines
from tests.projects import write_docs_project
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.servers.queue import fresh_queue

pytestmark = pytest.mark.integration


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        yield fake


@pytest.fixture
def url(database: PostgresDatabase) -> Iterator[str]:
    with fresh_queue(database.conninfo()) as queue:
        make_schemas(queue)
        yield queue


def test_a_cap_is_of_all_workers_together(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, "max_calls = 5")

    with pytest.raises(BudgetError, match="max_calls = 5 is reached"):
        machines.check_with_workers(url)

    assert len(server.requests) == 5


def test_the_report_counts_what_workers_spent(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server)

    alone, many = machines.check_alone().facts, machines.check_with_workers(url).facts

    assert alone.model_calls == 8
    assert many.amended(duration_s=0.0) == alone.amended(duration_s=0.0)
    with psycopg.connect(url) as connection:
        left = connection.execute("SELECT count(*) FROM ragate_trust.budgets").fetchone()
    assert left == (0,)


def test_the_pace_of_a_provider_is_of_all_workers_together(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, pace="calls_per_minute = 600")
    times: list[float] = []

    def answered(_body: dict[str, Any]) -> str:
        times.append(time.monotonic())
        return "It is so [1]."

    server.reply = answered
    machines.check_with_workers(url)

    assert len(times) == 8
    assert max(times) - min(times) > 0.65  # seven times a tenth of a second


def test_a_plan_that_goes_on_has_spent_what_it_had(url: str, tmp_path: Path) -> None:
    write_docs_project(tmp_path)
    policy = load_config(tmp_path / "ragate.toml").policy.amended(max_calls=3)

    async def spend(calls: int) -> Budget:
        budget = Budget(1, 1.0)  # its own caps do not count
        async with open_queue(url) as queue, shared(queue, "a plan", policy, budget):
            for _ in range(calls):
                budget.settle(0.1, claim=await budget.reserve(PlannedCall(model="m")))
        return budget

    first = asyncio.run(spend(2))
    with pytest.raises(BudgetError, match=r"max_calls = 3 is reached \(3 used\)"):
        asyncio.run(spend(2))

    assert (first.tally.calls, first.share) == (2, None)


def test_what_a_run_spent_before_it_went_on_with_workers_counts(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, "max_calls = 5")
    config, operations = machines.setup(machines.roots[0])
    folder = LocalStore(operations.state).folder("20261118-101500-000-bbbb")
    folder.mkdir(parents=True)
    SpentCalls(folder).keep(4, 0.25)
    request = SystemRequest(config, operations, Selection(), folder.name, resumed=True)
    opened = cast("Any", SimpleNamespace(budget=no_caps()))

    async def main() -> Any:
        async with (
            opens_on_workers(url)(request, opened),
            await psycopg.AsyncConnection.connect(url) as connection,
        ):
            query = "SELECT max_calls, calls, cost_usd::float FROM ragate_trust.budgets"
            return await (await connection.execute(query)).fetchone()

    assert asyncio.run(main()) == (5, 4, 0.25)
