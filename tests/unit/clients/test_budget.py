from __future__ import annotations

import asyncio

import pytest

from ragate.clients.budget import Budget, Capped
from ragate.errors import BudgetError
from ragate.protocols import ChatReply, ChatRequest


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
