from __future__ import annotations

import asyncio

import pytest

from ragate.clients.budget import Budget, Capped
from ragate.clients.http.breaker import Breaker
from ragate.clients.prices import Price, list_prices, price_of
from ragate.errors import BudgetError, ProviderError
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

    assert budget.cost_usd == pytest.approx(0.9)
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

    assert (budget.calls, budget.tally.rejected, budget.tally.retries) == (1, 1, 1)


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


def test_the_prices_of_the_policy_win_over_the_list() -> None:
    own = {"gpt-4o": Price(input_usd_per_million=1.0, output_usd_per_million=2.0)}

    price = price_of("gpt-4o", own)

    assert price is not None
    assert price.of(input_tokens=2_000_000, output_tokens=500_000) == pytest.approx(3.0)


def test_a_dated_snapshot_costs_what_its_model_costs() -> None:
    assert price_of("gpt-4o-2024-08-06", {}) == list_prices()["gpt-4o"]


def test_an_unknown_model_has_no_price() -> None:
    assert price_of("gpt-4o-mine", {}) is None


def test_every_list_price_is_plausible() -> None:
    for model, price in list_prices().items():
        assert 0 < price.input_usd_per_million <= 200, model
        embeds = model.startswith("text-embedding")
        assert (price.output_usd_per_million == 0) == embeds, model


def test_a_short_burst_of_failures_does_not_open_the_breaker() -> None:
    breaker = Breaker(failures=3, seconds=5.0)

    assert not any(breaker.failed(now) for now in (0.0, 0.1, 0.2, 4.9))
    assert breaker.failed(5.0)


def test_one_success_begins_the_count_anew() -> None:
    breaker = Breaker(failures=2, seconds=0.0)
    breaker.failed(0.0)
    breaker.succeeded()

    assert not breaker.failed(1.0)
    assert breaker.failed(2.0)


def test_a_refusal_of_one_model_leaves_the_others() -> None:
    breaker = Breaker()
    breaker.open(ProviderError("no such model"), model="a")

    breaker.check("b")
    with pytest.raises(ProviderError, match="no such model") as caught:
        breaker.check("a")
    assert caught.value.fatal


def test_a_provider_rests_longer_with_every_failure_in_a_row() -> None:
    breaker = Breaker()
    rests = []
    for now in range(12):
        breaker.failed(float(now))
        rests.append(breaker.rest())

    assert rests[:5] == [0.0, 0.0, 0.0, 0.0, 0.1]
    assert rests == sorted(rests)
    assert rests[-1] == 2.0
