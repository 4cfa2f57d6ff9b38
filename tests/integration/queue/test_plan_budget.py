"""The caps of a policy when workers ask the questions: of all of them together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

from ragate.cli.options import source
from ragate.clients.budget import Budget, PlannedCall, no_caps
from ragate.config import load_config
from ragate.database import PostgresDatabase
from ragate.errors import BudgetError, UsageError
from ragate.pipeline.run.ready_system import SystemRequest
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.workers.plan_budget import budget_share, close_budget, note_queued, shared
from ragate.pipeline.workers.submit import opens_on_workers, opens_without_workers
from ragate.queue.engine import open_queue
from ragate.queue.schema import make_schemas
from ragate.stores.local import LocalStore
from ragate.stores.spent_calls import SpentBy, SpentCalls
from tests.integration.queue.machines import Machines
from tests.projects import write_docs_project
from tests.servers.openai_server import FakeOpenAI
from tests.servers.queue import fresh_queue

pytestmark = pytest.mark.integration


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
    machines = Machines(tmp_path, database.conninfo(), server, pace="calls_per_minute = 300")
    times: list[float] = []

    def answered(_body: dict[str, Any]) -> str:
        times.append(time.monotonic())
        return "It is so [1]."

    server.reply = answered
    machines.check_with_workers(url)

    assert len(times) == 8
    assert max(times) - min(times) > 1.0  # seven times a fifth of a second, but for a busy machine


def test_a_plan_that_goes_on_has_spent_what_it_had(url: str, tmp_path: Path) -> None:
    write_docs_project(tmp_path)
    policy = load_config(tmp_path / "ragate.toml").policy.amended(max_calls=3)

    async def spend(calls: int) -> Budget:
        budget = Budget(1, 1.0)  # its own caps do not count
        spent = SpentCalls(tmp_path / "none")
        async with open_queue(url) as queue, shared(queue, "a plan", policy, budget, spent):
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
            query = "SELECT max_calls, alone_calls, alone_usd::float FROM ragate_trust.budgets"
            return await (await connection.execute(query)).fetchone()

    assert asyncio.run(main()) == (5, 4, 0.25)


def test_each_call_counts_once_with_workers_and_without_in_every_order(
    url: str, tmp_path: Path
) -> None:
    write_docs_project(tmp_path)
    # So small that every share is of one call; each costs nothing, of which a share has no rest.
    policy = load_config(tmp_path / "ragate.toml").policy.amended(max_calls=30)
    spent = SpentCalls(tmp_path)

    async def with_workers(*, own: int, theirs: int, killed: bool) -> int:
        """Return what counts at the beginning."""
        budget = no_caps()
        async with open_queue(url) as queue, shared(queue, "p", policy, budget, spent) as count:
            query = (
                "SELECT alone_calls + coalesce(sum(s.calls), 0) FROM ragate_trust.budgets "
                "LEFT JOIN ragate_trust.sessions s USING (plan) GROUP BY alone_calls"
            )
            ((before,),) = await queue.rows(query)
            budget.keep = partial(spent.keep, by=SpentBy.SUBMITTER)
            budget.keep(0, 0.0)
            for _ in range(own):
                budget.settle(0.0, claim=await budget.reserve(PlannedCall(model="m")))
            token = f"a worker {before}"
            await queue.rows("SELECT ragate_trust.admit('p', %s)", token)
            async with budget_share(queue, token, policy) as share:
                for _ in range(theirs):
                    share.settle(await share.reserve(PlannedCall(model="m")), 0.0)
            if not killed:
                await count()
        return int(before)

    async def alone(calls: int) -> int:
        """Return what counts at the beginning."""
        async with open_queue(url) as queue:
            await note_queued(queue, "p", spent)
        before, _ = spent.total()
        spent.keep(calls, 0.0)
        return before

    async def main() -> None:
        assert await with_workers(own=2, theirs=3, killed=True) == 0
        assert await alone(4) == 5
        assert await with_workers(own=1, theirs=1, killed=False) == 9
        assert await with_workers(own=0, theirs=1, killed=True) == 11
        assert await alone(1) == 12
        assert await alone(1) == 13
        assert await with_workers(own=1, theirs=0, killed=False) == 14
        async with open_queue(url) as queue:
            await close_budget(queue, "p")
        assert await alone(1) == 15
        assert await with_workers(own=1, theirs=1, killed=True) == 16
        assert await alone(0) == 18

    asyncio.run(main())


def test_money_that_workers_were_given_counts_whoever_goes_on(url: str, tmp_path: Path) -> None:
    write_docs_project(tmp_path)
    policy = load_config(tmp_path / "ragate.toml").policy.amended(max_calls=30, max_cost_usd=1.0)
    spent = SpentCalls(tmp_path)

    async def main() -> None:
        async with open_queue(url) as queue:
            async with shared(queue, "p", policy, no_caps(), spent):
                await queue.rows("SELECT ragate_trust.admit('p', 'a worker')")
                async with budget_share(queue, "a worker", policy) as share:
                    for _ in range(2):
                        share.settle(await share.reserve(PlannedCall(model="m")), 0.25)
            await note_queued(queue, "p", spent)

    asyncio.run(main())

    calls, usd = spent.total()
    assert calls == 2
    assert 0.5 <= usd <= 0.6  # a tenth of the cap may have been given and not be used


def test_a_run_of_workers_that_goes_on_without_them_has_one_cap(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, "max_calls = 5")
    with pytest.raises(BudgetError):
        machines.check_with_workers(url)
    gate = machines.roots[0]
    unset = source(machines.setup(gate)[1], workers=False, resumed=True).opens

    with pytest.raises(UsageError, match="RAGATE_QUEUE_URL is not set"):
        asyncio.run(machines.check(gate, unset, "latest"))
    with pytest.raises(BudgetError, match=r"max_calls = 5 is reached \(5 used\)"):
        asyncio.run(machines.check(gate, opens_without_workers(lambda: url), "latest"))

    assert len(server.requests) == 5
