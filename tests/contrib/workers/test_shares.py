"""The caps of a policy when workers ask the questions: of all of them together."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.clients.budget import Budget, Tally
from ragate.contrib.workers import submit
from ragate.contrib.workers.block import SampleBlock
from ragate.contrib.workers.submit import opens
from ragate.contrib.workers.work import _Account
from ragate.database import PostgresDatabase
from ragate.errors import BudgetError
from tests.contrib.workers.machines import Machines
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "LOOK_S", 0.2)


def test_a_cap_is_of_all_workers_together(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, "max_calls = 5")

    with pytest.raises(BudgetError, match=r"max_calls = 5 is reached \(5 used\)"):
        machines.check_with_workers(url)

    assert len(server.requests) == 5


def test_a_cap_that_is_just_enough_is_enough(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, "max_calls = 8")

    machines.check_with_workers(url)

    assert len(server.requests) == 8


def test_a_cap_on_money_is_of_all_workers_together(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, "max_cost_usd = 0.1")

    with pytest.raises(BudgetError, match=r"max_cost_usd = 0\.1 is reached"):
        machines.check_with_workers(url)

    assert (
        1 <= len(server.requests) <= 5 + 1
    )  # of 18 thousandths each, the first two of unknown price


def test_a_run_of_workers_that_goes_on_without_them_has_one_cap(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, "max_calls = 5")
    with pytest.raises(BudgetError):
        machines.check_with_workers(url)
    gate = machines.roots[0]
    _, operations = machines.setup(gate)
    alone = opens(replace(operations, environment={"RAGATE_QUEUE_URL": url}), given=False)
    assert alone is not None

    with pytest.raises(BudgetError, match=r"max_calls = 5 is reached \(5 used\)"):
        asyncio.run(machines.check(gate, alone, "latest"))

    assert len(server.requests) == 5


def test_the_report_counts_what_workers_spent(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server)

    alone, many = machines.check_alone().facts, machines.check_with_workers(url).facts

    assert alone.model_calls == 8
    assert many.amended(duration_s=0.0) == alone.amended(duration_s=0.0)


def test_the_pace_of_a_provider_is_of_all_workers_together(
    tmp_path: Path, database: PostgresDatabase, server: FakeOpenAI, url: str
) -> None:
    machines = Machines(tmp_path, database.conninfo(), server, pace="calls_per_minute = 120")
    times: list[float] = []

    def answered(_body: dict[str, Any]) -> str:
        times.append(time.monotonic())
        return "It is so [1]."

    server.reply = answered
    machines.check_with_workers(url)

    assert len(times) == 8
    assert max(times) - min(times) > 1.5  # seven half seconds, of which the first may come late


@given(
    events=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["call", "tell", "unheard"]))),
    calls=st.lists(st.integers(0, 6), min_size=4, max_size=4),
)
def test_no_more_is_spent_than_the_shares_hold_and_each_call_is_told_once(
    events: list[tuple[int, str]], calls: list[int]
) -> None:
    budget = Budget(1000, 1000.0)
    account = _Account(budget)
    heard = dict.fromkeys(range(4), 0)

    def ask() -> None:
        with suppress(BudgetError):
            budget.take()
            budget.settle(0.0)

    with ExitStack() as stack:
        shares = [
            stack.enter_context(account.share(block_of(calls[number]), Tally()))
            for number in range(4)
        ]
        for number, event in events:
            if event == "call":
                ask()
                continue
            spent = account.tell(shares[number])
            if event == "unheard":
                account.unheard(shares[number], spent)
            else:
                heard[number] += spent.calls
        for number in range(4):
            heard[number] += account.tell(shares[number]).calls

    assert sum(heard.values()) == budget.tally.calls <= sum(calls)
    assert all(heard[number] <= calls[number] for number in range(4))
    assert budget.max_calls == budget.tally.calls


def block_of(calls: int) -> SampleBlock:
    return SampleBlock(
        run="r", name="b", turn=0, rebuilds=0, samples=(), calls=calls, usd=1.0, until=0.0
    )


def test_a_worker_that_asked_nothing_yet_knows_what_a_call_costs() -> None:
    budget = Budget(max_calls=0, max_cost_usd=0.0)
    block = SampleBlock(
        run="r",
        name="b",
        turn=0,
        rebuilds=0,
        samples=(),
        calls=9,
        usd=0.01,
        until=0.0,
        usual_usd=0.018,
    )

    with _Account(budget).share(block, Tally()), pytest.raises(BudgetError, match="max_cost_usd"):
        budget.take()
