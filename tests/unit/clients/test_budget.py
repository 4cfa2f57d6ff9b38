from __future__ import annotations

import asyncio
import random
from dataclasses import asdict

import pytest

from ragate.clients.budget import Budget, CallPace, Capped, Tally, read_tally
from ragate.errors import BudgetError
from ragate.protocols import ChatReply, ChatRequest
from tests.unit.clients import virtual_time


class Model:
    """Answers at a price, and counts."""

    def __init__(self, cost_usd: float | None = None) -> None:
        self.cost_usd = cost_usd
        self.calls = 0

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        self.calls += 1
        await asyncio.sleep(0)
        return ChatReply("so", 10, 5, self.cost_usd)


def ask_many(model: Model, budget: Budget, count: int) -> list[object]:
    async def main() -> list[object]:
        client = Capped(model, budget)
        request = ChatRequest("m", (("user", "q"),))
        asked = (client(request) for _ in range(count))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    return asyncio.run(main())


def test_the_call_cap_holds_when_many_ask_at_once() -> None:
    model, budget = Model(), Budget(max_calls=7, max_cost_usd=1.0)

    found = ask_many(model, budget, 50)

    assert model.calls == 7
    assert sum(isinstance(one, BudgetError) for one in found) == 43


def test_calls_under_way_count_with_the_dearest_cost_so_far() -> None:
    model, budget = Model(0.3), Budget(max_calls=100, max_cost_usd=1.0)
    ask_many(model, budget, 1)

    ask_many(model, budget, 50)

    assert budget.tally.cost_usd == pytest.approx(0.9)
    assert model.calls == 3


def test_a_price_that_fits_the_cap_exactly_may_be_spent() -> None:
    model, budget = Model(0.1), Budget(max_calls=100, max_cost_usd=1.0)

    for _ in range(10):
        assert not isinstance(ask_many(model, budget, 1)[0], BudgetError)
    assert isinstance(ask_many(model, budget, 1)[0], BudgetError)


def test_a_call_that_was_not_billed_is_taken_back() -> None:
    budget = Budget(max_calls=1, max_cost_usd=1.0)
    budget.take()
    budget.give_back(rejected=True)

    budget.take(again=True)

    assert (budget.tally.calls, budget.tally.rejected, budget.tally.retries) == (1, 1, 1)


def test_the_tally_tells_what_has_no_price() -> None:
    budget = Budget(max_calls=9, max_cost_usd=1.0)

    ask_many(Model(), budget, 2)
    ask_many(Model(0.25), budget, 1)

    tally = budget.snapshot()
    assert (tally.calls, tally.unpriced, tally.cost_usd) == (3, 2, 0.25)
    assert (tally.prompt_tokens, tally.completion_tokens) == (30, 15)


def test_the_error_of_a_cap_names_the_key_and_the_remedy() -> None:
    (error,) = ask_many(Model(), Budget(max_calls=0, max_cost_usd=1.0), 1)

    assert "[policy] max_calls = 0 is reached" in str(error)
    assert "--limit" in str(error)


def test_what_two_processes_spent_adds_up() -> None:
    one, two = Tally(calls=2, cost_usd=0.5), Tally(calls=3, cost_usd=0.25, retries=1)

    assert one + two == Tally(calls=5, cost_usd=0.75, retries=1)


def test_a_tally_is_read_as_it_was_told() -> None:
    tally = Tally(calls=2, cost_usd=0.5, saved_usd=1.5, reused=3)

    assert read_tally(asdict(tally)) == tally


def test_nobody_tells_less_than_nothing() -> None:
    told = {"calls": -5, "cost_usd": "much", "reused": 1e300, "retries": [1], "other": 3}

    assert read_tally(told) == Tally()


@pytest.mark.parametrize("seed", range(5))
def test_no_minute_holds_more_calls_than_allowed_and_a_busy_one_hardly_fewer(seed: int) -> None:
    chance = random.Random(seed)
    now = 0.0
    pace = CallPace(90, clock=lambda: now)
    sent = []
    for _ in range(1000):
        sent.append(now + pace.book())
        now += chance.uniform(0.0, 0.8)  # asked for somewhat faster than allowed

    for start in sent[:-90:7]:
        assert sum(start <= time < start + 60 - 1e-6 for time in sent) == 90


def test_a_pause_is_not_made_up_for() -> None:
    now = 0.0
    pace = CallPace(60, clock=lambda: now)
    pace.book()
    now = 100.0

    assert [pace.book(), pace.book()] == [0.0, 1.0]


def test_a_budget_lets_calls_of_one_provider_wait_for_their_times() -> None:
    async def main() -> tuple[float, float]:
        clock = asyncio.get_running_loop().time
        budget.paces = {"slow": CallPace(20, clock)}
        start = clock()
        for _ in range(3):
            await budget.reserve("fast")
        middle = clock()
        for _ in range(3):
            await budget.reserve("slow")
        return middle - start, clock() - middle

    budget = Budget(10, 1.0)

    fast, slow = virtual_time.run(main())

    assert fast == 0.0
    assert slow == pytest.approx(6.0)
    assert budget.tally.calls == 6


def test_a_call_that_is_cancelled_while_it_waits_is_not_counted() -> None:
    budget = Budget(10, 1.0, paces={"slow": CallPace(1)})

    async def main() -> None:
        await budget.reserve("slow")
        task = asyncio.create_task(budget.reserve("slow"))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert budget.tally.calls == 1


@pytest.mark.parametrize(
    ("told", "cost"),
    [
        ({}, None),
        ({"calls": 3, "unpriced": 2}, None),  # one was lost on the way
        ({"calls": 2, "unpriced": 0}, 0.0),  # of a model whose price is 0
        ({"calls": 3, "unpriced": 1, "cost_usd": 0.5}, 0.5),
    ],
)
def test_a_cost_that_nobody_knows_is_not_nothing(
    told: dict[str, float], cost: float | None
) -> None:
    assert read_tally(told).known_cost_usd == cost


def test_what_is_lent_counts_as_spent_until_it_is_returned() -> None:
    kept: list[tuple[int, float]] = []
    budget = Budget(10, 1.0, keep=lambda calls, usd: kept.append((calls, usd or 0.0)))
    budget.lend(6, 0.6)

    assert budget.left == (4, 0.4)
    budget.returned(6, 0.6, Tally(calls=2, cost_usd=0.25))

    assert budget.left == (8, 0.75)
    assert budget.snapshot() == Tally(calls=2, cost_usd=0.25)
    assert [sum(column) for column in zip(*kept, strict=True)] == [2, pytest.approx(0.25)]


def test_a_call_waits_for_what_others_hold_and_may_not_need() -> None:
    async def main() -> None:
        task = asyncio.create_task(budget.reserve())
        await asyncio.sleep(1)
        assert not task.done()
        budget.returned(10, 0.0, Tally(calls=9))
        await task
        with pytest.raises(BudgetError, match=r"max_calls = 10 is reached \(10 used\)"):
            await budget.reserve()

    budget = Budget(10, 1.0)
    budget.lend(10, 0.0)

    virtual_time.run(main())
