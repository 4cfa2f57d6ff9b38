from __future__ import annotations

import asyncio
import random

import pytest

from ragate.clients.budget import Budget
from ragate.clients.budget_share import PlannedCall
from ragate.clients.call_pace import CallPace


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
    budget = Budget(10, 1.0, paces={"slow": CallPace(60 * 20)})

    async def main() -> tuple[float, float]:
        clock = asyncio.get_running_loop().time
        start = clock()
        for _ in range(3):
            await budget.reserve(PlannedCall("fast"))
        middle = clock()
        for _ in range(3):
            await budget.reserve(PlannedCall("slow"))
        return middle - start, clock() - middle

    fast, slow = asyncio.run(main())

    assert fast < 0.05
    assert 0.09 <= slow < 1.0
    assert budget.tally.calls == 6


def test_a_call_that_is_cancelled_while_it_waits_is_not_counted() -> None:
    budget = Budget(10, 1.0, paces={"slow": CallPace(1)})

    async def main() -> None:
        await budget.reserve(PlannedCall("slow"))
        task = asyncio.create_task(budget.reserve(PlannedCall("slow")))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert budget.tally.calls == 1
