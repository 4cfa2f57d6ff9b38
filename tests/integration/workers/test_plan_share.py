"""Several processes that spend one budget."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from typing import Any

import psycopg
import pytest

from ragate.clients.budget import Budget, Capped, PlannedCall, Tally
from ragate.database import PostgresDatabase
from ragate.database.budget_sql import MIGRATIONS
from ragate.database.migrations import migrate
from ragate.errors import BudgetError, DatabaseError
from ragate.pipeline.workers.plan_budget import PlanShare
from ragate.protocols import ChatReply, ChatRequest
from ragate.queue import engine
from ragate.queue.engine import open_queue
from tests.integration.database.test_schema import own_database
from tests.servers.spender import Spender

pytestmark = pytest.mark.integration

CALL = PlannedCall(model="m")
CAPS = {"max_calls": 1000.0, "max_cost_usd": 1.0}
REQUEST = ChatRequest("m", (("user", "q"),))
SPENDER = Spender(  # the first call is as dear as one can be: none is dearer than the dearest
    1000, 1.0, at_once=8, cost=(0.002, 0.003), seconds=(0.005, 0.02), first=0.003
)
PROCESSES = 4


@pytest.fixture(scope="module")
def server(database: PostgresDatabase) -> Iterator[str]:
    with own_database(database, "ragate_test_plan_share") as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            migrate(connection, MIGRATIONS)
        yield conninfo


@pytest.fixture
def url(server: str) -> Iterator[str]:
    with closing(psycopg.connect(server, autocommit=True)) as connection:
        connection.execute("TRUNCATE ragate_trust.budgets CASCADE")
        connection.execute("INSERT INTO ragate_trust.budgets VALUES ('plan', 1000, 1.0)")
        for number in range(PROCESSES):
            connection.execute("SELECT ragate_trust.admit('plan', %s)", (f"token {number}",))
        yield server


@asynccontextmanager
async def shares(url: str, count: int = 1, **settings: Any) -> AsyncIterator[list[PlanShare]]:
    async with open_queue(url, **settings) as queue:
        made = [
            PlanShare(queue, f"token {number}", CAPS, paced=frozenset({"p"}))
            for number in range(count)
        ]
        yield made
        for each in made:
            await each.close()


def run(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def given(url: str) -> tuple[int, float]:
    """Return what all shares together were given."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT sum(calls), sum(usd) FROM ragate_trust.sessions")
        calls, usd = row.fetchone() or (0, 0)
    return int(calls), float(usd)


def test_processes_spend_one_cap_of_which_a_killed_one_leaves_little(url: str) -> None:
    workers = [SPENDER.start(url, seed, subprocess.PIPE) for seed in range(PROCESSES)]
    with workers[0] as first:
        assert first.stdout is not None
        lines = [first.stdout.readline() for _ in range(12)]
        first.send_signal(signal.SIGKILL)
        lines += first.stdout.readlines()

    billed = sum(map(float, lines))
    for worker in workers[1:]:
        printed, _ = worker.communicate(timeout=300)
        assert worker.returncode == 0
        billed += sum(map(float, printed.split()))

    assert 0.9 <= billed <= 1.0


async def model(request: ChatRequest, *, draw: int = 0) -> ChatReply:
    return ChatReply("so", 1, 1, 0.01)


def test_a_process_counts_its_own_calls_and_the_server_those_of_all(url: str) -> None:
    async def main() -> list[Budget]:
        async with shares(url, 2) as both:
            budgets = [Budget(1000, 1.0, share=share) for share in both]
            for budget in budgets:
                for _ in range(3):
                    await Capped(model, budget)(REQUEST)
            return budgets

    budgets = asyncio.run(main())

    assert [budget.tally.calls for budget in budgets] == [3, 3]
    calls, usd = given(url)
    assert 6 <= calls <= 106
    assert 0.06 <= usd <= 0.16


def test_a_share_is_spent_without_asking_the_database(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    rows = engine.Queue.rows

    async def counted(queue: engine.Queue, query: str, *values: object) -> Any:
        asked.append(query)
        return await rows(queue, query, *values)

    monkeypatch.setattr(engine.Queue, "rows", counted)

    async def main() -> None:
        async with shares(url) as (share,):
            for _ in range(40):
                share.settle(await share.reserve(CALL), 0.001)

    asyncio.run(main())

    assert len(asked) <= 4  # two draws, and the first price


def test_a_call_that_is_cancelled_while_it_waits_for_its_turn_is_given_back(url: str) -> None:
    run(url, "INSERT INTO ragate_trust.paces VALUES ('plan', 'p', 20)")  # one in three seconds
    run(url, "UPDATE ragate_trust.budgets SET max_calls = 2")

    async def main() -> None:
        async with shares(url) as (share,):
            share.settle(await share.reserve(PlannedCall("p", "m")), 0.01)
            task = asyncio.create_task(share.reserve(PlannedCall("p", "m")))
            await asyncio.sleep(0.3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await share.reserve(CALL)

    asyncio.run(main())

    assert given(url)[0] == 2


def test_a_call_waits_for_those_of_its_process_and_ends_where_none_is_under_way(url: str) -> None:
    run(url, "UPDATE ragate_trust.budgets SET max_calls = 2")

    async def main() -> None:
        async with shares(url) as (share,):
            share.settle(await share.reserve(CALL), 0.01)
            under_way = await share.reserve(CALL)
            waiting = asyncio.create_task(share.reserve(CALL))
            await asyncio.sleep(0.3)
            assert not waiting.done()
            share.give_back(under_way)
            share.settle(await waiting, 0.01)
            with pytest.raises(BudgetError, match=r"max_calls = 1000 is reached \(2 used\)"):
                await share.reserve(CALL)

    asyncio.run(main())


def test_the_first_call_of_a_model_is_waited_for_in_every_process(url: str) -> None:
    async def main() -> None:
        async with shares(url, 2) as (one, two):
            first = await one.reserve(CALL)
            waiting = [asyncio.create_task(each.reserve(CALL)) for each in (one, two)]
            await asyncio.sleep(0.3)
            assert not any(task.done() for task in waiting)
            one.settle(first, 0.01)
            await asyncio.gather(*waiting)

    asyncio.run(main())


def test_calls_may_come_from_another_event_loop(url: str) -> None:
    async def main() -> None:
        async with shares(url) as (share,):

            async def call() -> None:
                share.settle(await share.reserve(CALL), 0.01)

            await asyncio.to_thread(asyncio.run, call())

    asyncio.run(main())

    assert given(url)[0] >= 1


def test_a_connection_that_broke_is_opened_again(url: str) -> None:
    run(url, "UPDATE ragate_trust.budgets SET max_calls = 2")
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    async def main() -> None:
        async with shares(url) as (share,):
            share.settle(await share.reserve(CALL), 0.1)
            await asyncio.to_thread(run, url, cut)
            share.settle(await share.reserve(CALL), 0.1)

    asyncio.run(main())

    assert given(url)[0] == 2


def test_a_server_that_starts_anew_is_waited_for(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PAUSE_S", 0.01)

    async def main() -> None:
        async with shares(url) as (share,):
            connection = share._queue.pool.connection
            down = iter(range(6))

            def gone() -> Any:
                if next(down, None) is not None:
                    raise psycopg.OperationalError("the database system is starting up")
                return connection()

            monkeypatch.setattr(share._queue.pool, "connection", gone)
            await share.tell(Tally(calls=1))
            share.settle(await share.reserve(CALL), 0.1)

    asyncio.run(main())

    assert given(url)[0] >= 1


@pytest.mark.parametrize("gone", ["plan", "server"])
def test_a_plan_or_a_server_that_is_gone_is_named_and_shows_no_token(
    url: str, gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with shares(url, patience_s=0.0) as (share,):
            if gone == "plan":
                run(url, "DELETE FROM ragate_trust.budgets")
            else:
                monkeypatch.setattr(share._queue.pool, "connection", refused)
            await share.reserve(CALL)

    def refused() -> Any:
        raise psycopg.OperationalError("connection refused")

    with pytest.raises(DatabaseError, match="the budget that all workers share") as caught:
        asyncio.run(main())

    assert "RAGATE_QUEUE_URL" in caught.value.remedy
    assert "token 0" not in str(caught.value)


def test_the_cap_that_is_reached_is_named_with_what_all_have_used(url: str) -> None:
    run(url, "UPDATE ragate_trust.budgets SET alone_calls = 1000")

    async def main() -> None:
        async with shares(url) as (share,):
            await share.reserve(CALL)

    with pytest.raises(BudgetError, match=r"max_calls = 1000 is reached \(1000 used\)"):
        asyncio.run(main())
