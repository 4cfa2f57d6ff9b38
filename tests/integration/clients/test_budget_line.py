"""Several processes that spend one budget."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import psycopg
import pytest

from ragate.clients import budget_line
from ragate.clients.budget import Budget, Capped
from ragate.clients.budget_line import BudgetLine
from ragate.clients.budget_share import PlannedCall
from ragate.clients.tally import Tally
from ragate.database import PostgresDatabase
from ragate.database.migrations import migrate
from ragate.database.trust.budget_sql import MIGRATIONS
from ragate.errors import BudgetError, DatabaseError
from ragate.protocols import ChatReply, ChatRequest
from tests.integration.database.test_schema import own_database
from tests.servers.spender import Spender

pytestmark = pytest.mark.integration

CAPS = {"max_calls": 1000.0, "max_cost_usd": 1.0}
REQUEST = ChatRequest("m", (("user", "q"),))
SPENDER = Spender(  # the first call is as dear as one can be: none is dearer than the dearest
    1000, 1.0, at_once=8, cost=(0.002, 0.003), seconds=(0.005, 0.02), first=0.003
)


@pytest.fixture(scope="module")
def server(database: PostgresDatabase) -> Iterator[str]:
    with own_database(database, "ragate_test_budget_line") as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            migrate(connection, MIGRATIONS)
        yield conninfo


@pytest.fixture
def url(server: str) -> Iterator[str]:
    with closing(psycopg.connect(server, autocommit=True)) as connection:
        connection.execute("TRUNCATE ragate_trust.budgets, ragate_trust.paces CASCADE")
        connection.execute("INSERT INTO ragate_trust.budgets VALUES ('plan', 'pool', 1000, 1.0)")
        connection.execute("SELECT ragate_trust.admit('plan', 'token')")
        yield server


def line(url: str, token: str = "token") -> BudgetLine:
    connect = partial(psycopg.connect, url, autocommit=True)
    caps = {"max_calls": 1000, "max_cost_usd": 1.0}
    return BudgetLine(connect, token, caps, patience_s=0.0)


def run(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def spent(url: str) -> tuple[object, ...]:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT calls, cost_usd + lost_usd FROM ragate_trust.budgets")
        calls, usd = row.fetchone() or (0, 0)
    return int(calls), float(usd)


def start(url: str, seed: int) -> subprocess.Popen[str]:
    return SPENDER.start(url, seed, subprocess.PIPE)


def test_four_processes_spend_one_cap_and_one_that_is_killed_counts(url: str) -> None:
    workers = [start(url, seed) for seed in range(4)]
    with workers[0] as first:
        assert first.stdout is not None
        lines = [first.stdout.readline() for _ in range(12)]
        first.send_signal(signal.SIGKILL)
        lines += first.stdout.readlines()
    # What it had under way is given up at once, not after a minute.
    run(url, "UPDATE ragate_trust.reservations SET lease = now() + interval '0.5 s'")

    billed = sum(map(float, lines))
    for worker in workers[1:]:
        printed, _ = worker.communicate(timeout=60)
        assert worker.returncode == 0
        billed += sum(map(float, printed.split()))

    assert 0.98 <= billed <= 1.0


async def model(request: ChatRequest, *, draw: int = 0) -> ChatReply:
    return ChatReply("so", 1, 1, 0.01)


def test_a_process_counts_its_own_calls_and_the_server_those_of_all(url: str) -> None:
    one, two = line(url), line(url)
    budgets = [Budget(1000, 1.0, share=share) for share in (one, two)]

    async def main() -> None:
        for budget in budgets:
            for _ in range(3):
                await Capped(model, budget)(REQUEST)

    asyncio.run(main())
    one.close()
    two.close()

    assert [budget.tally.calls for budget in budgets] == [3, 3]
    assert spent(url) == (6, pytest.approx(0.06))


def test_a_call_that_is_cancelled_while_it_waits_for_its_turn_is_given_back(url: str) -> None:
    run(url, "INSERT INTO ragate_trust.paces VALUES ('pool', 'p', 20)")  # one in three seconds
    share = line(url)

    async def main() -> None:
        await share.reserve(PlannedCall("p", "m"))
        task = asyncio.create_task(share.reserve(PlannedCall("p", "n")))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    share.close()

    assert spent(url)[0] == 1


def test_a_connection_that_broke_is_opened_again(url: str) -> None:
    share = line(url)

    async def main() -> None:
        share.settle(await share.reserve(PlannedCall(model="m")), 0.1)
        cut = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await asyncio.to_thread(run, url, cut)
        share.settle(await share.reserve(PlannedCall(model="m")), 0.1)

    asyncio.run(main())
    share.close()

    assert spent(url) == (2, pytest.approx(0.2))


def test_a_server_that_starts_anew_is_waited_for(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_line, "_PAUSE_S", 0.01)
    down = iter(range(6))

    def connect() -> psycopg.Connection[object]:
        if next(down, None) is not None:
            raise psycopg.OperationalError("the database system is starting up")
        return psycopg.connect(url, autocommit=True)

    share = BudgetLine(connect, "token", CAPS)

    async def main() -> None:
        await share.tell(Tally(calls=1))
        share.settle(await share.reserve(PlannedCall(model="m")), 0.1)

    asyncio.run(main())
    share.close()

    assert spent(url) == (1, pytest.approx(0.1))


@pytest.mark.parametrize("gone", ["plan", "server"])
def test_a_plan_or_a_server_that_is_gone_is_named_and_shows_no_token(url: str, gone: str) -> None:
    if gone == "plan":
        run(url, "DELETE FROM ragate_trust.budgets")
        share = line(url, "secret-token")
    else:
        share = line("postgresql://127.0.0.1:9/nothing", "secret-token")

    with pytest.raises(DatabaseError, match="the budget that all workers share") as caught:
        asyncio.run(share.reserve(PlannedCall(model="m")))
    share.close()

    assert "RAGATE_QUEUE_URL" in caught.value.remedy
    assert "secret-token" not in str(caught.value)


def test_the_cap_that_is_reached_is_named_with_what_all_have_used(url: str) -> None:
    run(url, "UPDATE ragate_trust.budgets SET calls = 1000")
    share = line(url)

    with pytest.raises(BudgetError, match=r"max_calls = 1000 is reached \(1000 used\)"):
        asyncio.run(share.reserve(PlannedCall(model="m")))
    share.close()
