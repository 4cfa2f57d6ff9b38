"""The client layer against servers that fail, limit, lie and repeat keys."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from ragate.clients.budget import Budget, no_caps
from ragate.clients.http.limiter import Breaker
from ragate.clients.http.retry import Retry
from ragate.clients.openai import OpenAIClient
from ragate.clients.prices import Price
from ragate.errors import BudgetError, ProviderError
from ragate.protocols import ChatReply, ChatRequest
from tests.integration.clients.faulty_servers import ask_many
from tests.servers.faults import (
    BROKEN_JSON,
    HANG,
    HTML,
    RESET,
    TRUNCATED,
    Chaos,
    Fault,
    RateLimit,
    status,
)
from tests.servers.openai_server import FakeOpenAI, never_the_same, scripted

pytestmark = pytest.mark.integration


def answered(found: list[Any]) -> int:
    return sum(isinstance(one, ChatReply) for one in found)


@pytest.mark.parametrize("tell", [True, False])
def test_a_limited_server_loses_no_question(server: FakeOpenAI, tell: bool) -> None:
    count = 150
    server.limit = RateLimit(50.0, burst=50.0, tell=tell)
    budget = no_caps()

    found = ask_many(server, count, concurrency=6, budget=budget, retry=Retry(), deadline_s=60.0)

    assert answered(found) == count
    assert server.limit.rejected < count  # how few, tests/unit/clients/http/test_limiter.py says
    assert budget.tally.calls == count
    assert budget.tally.rejected == server.limit.rejected


def test_a_server_that_refuses_half_of_the_calls_is_asked_as_fast_as_it_answers(
    server: FakeOpenAI,
) -> None:
    server.latency_s = 0.003
    server.chaos = Chaos(0.5, kinds=[status(429)], seed=2)
    began = time.monotonic()

    found = ask_many(server, 120, retry=Retry(), deadline_s=120.0)

    assert answered(found) == 120
    assert time.monotonic() - began < 80.0  # 100 s and more where every refusal slows it down


def test_every_question_is_answered_although_one_call_in_ten_fails(server: FakeOpenAI) -> None:
    server.chaos = Chaos(0.1, seed=3)
    server.hang_s = 3.0

    found = ask_many(server, 300, timeout_s=2.0, deadline_s=200.0)

    assert answered(found) == 300
    assert server.seen <= 1.25 * 300


@pytest.mark.parametrize("fault", [BROKEN_JSON, HTML, (200, {}, '{"choices": "none"}')])
def test_a_server_that_only_sends_nonsense_is_asked_three_times(
    server: FakeOpenAI, fault: Fault
) -> None:
    server.chaos = Chaos(1.0, kinds=[fault])

    (error,) = ask_many(server, 1)

    assert isinstance(error, ProviderError)
    assert "sent a reply that cannot be read" in error.message
    assert "(after 3 tries)" in error.message
    assert server.seen == 3


@pytest.mark.parametrize("fault", [RESET, TRUNCATED])
def test_a_cut_connection_is_tried_again(server: FakeOpenAI, fault: Fault) -> None:
    server.faults = [fault, fault]

    assert answered(ask_many(server, 1)) == 1
    assert server.seen == 3


@pytest.mark.parametrize("fault", [RESET, TRUNCATED])
def test_a_connection_that_is_cut_gets_six_tries(server: FakeOpenAI, fault: Fault) -> None:
    server.faults = [fault] * 5

    assert answered(ask_many(server, 1)) == 1
    assert server.seen == 6


def test_a_reply_that_is_cut_is_not_said_to_be_a_server_that_cannot_be_reached(
    server: FakeOpenAI,
) -> None:
    server.faults = [TRUNCATED] * 6

    (error,) = ask_many(server, 1)

    assert "broke off: the reply is cut off" in str(error)


def test_a_wrong_key_is_found_out_by_the_calls_under_way_alone(server: FakeOpenAI) -> None:
    server.chaos = Chaos(1.0, kinds=[status(401)])

    found = ask_many(server, 200, concurrency=4)

    assert server.seen <= 4
    assert {str(error) for error in found} == {str(found[0])}
    assert all(error.fatal and error.status == 401 for error in found)


def test_an_unknown_model_leaves_the_other_models(server: FakeOpenAI) -> None:
    server.faults = [status(404, message="no such model")]

    async def main() -> str:
        client = OpenAIClient(base_url=server.base_url)
        for _ in range(2):
            with pytest.raises(ProviderError, match="no such model") as caught:
                await client(ChatRequest("gone", (("user", "q"),)))
            assert caught.value.fatal
        reply = await client(ChatRequest("m", (("user", "q"),)))
        await client.aclose()
        return reply.text

    assert asyncio.run(main())
    assert server.seen == 2


def test_the_breaker_ends_a_run_on_a_dead_server_soon(server: FakeOpenAI) -> None:
    server.chaos = Chaos(1.0, kinds=[status(503)])

    found = ask_many(server, 200, concurrency=4, breaker=Breaker(failures=10, seconds=0.5))

    assert all(isinstance(error, ProviderError) for error in found)
    assert sum(error.fatal for error in found) > 190
    assert server.seen < 30


def test_a_question_ends_at_its_deadline(server: FakeOpenAI) -> None:
    server.chaos = Chaos(1.0, kinds=[HANG])

    (error,) = ask_many(server, 1, timeout_s=0.3, deadline_s=0.8)

    assert "no answer within" in error.message
    assert server.seen <= 3  # tries of 0.3 s each


def test_the_call_cap_stops_before_one_call_too_many(server: FakeOpenAI) -> None:
    budget = Budget(max_calls=25, max_cost_usd=1.0)

    found = ask_many(server, 100, budget=budget)

    assert server.seen == 25
    assert answered(found) == 25
    assert sum(isinstance(one, BudgetError) for one in found) == 75


def test_repeated_calls_count_and_refused_ones_do_not(server: FakeOpenAI) -> None:
    server.faults = [status(500), status(429), RESET]
    budget = Budget(max_calls=3, max_cost_usd=1.0)

    assert answered(ask_many(server, 1, budget=budget)) == 1
    assert (budget.tally.calls, budget.tally.retries, budget.tally.rejected) == (3, 3, 1)


def test_tokens_and_cost_are_counted_from_the_reply(server: FakeOpenAI) -> None:
    budget = no_caps()
    prices = {"m": Price(input_usd_per_million=1e6, output_usd_per_million=1e6)}

    (reply,) = ask_many(server, 1, budget=budget, prices=prices)

    assert reply.cost_usd == 11 + 7
    tally = budget.snapshot()
    assert (tally.prompt_tokens, tally.completion_tokens, tally.cost_usd) == (11, 7, 18.0)


def test_a_model_without_a_price_costs_none_and_not_nothing(server: FakeOpenAI) -> None:
    budget = no_caps()

    (reply,) = ask_many(server, 1, budget=budget)

    assert reply.cost_usd is None
    assert budget.tally.unpriced == 1


def test_parameters_go_through_as_they_are(server: FakeOpenAI) -> None:
    parameters = {"reasoning_effort": "low", "x_own": {"deep": [1]}, "stream": True}

    async def main() -> None:
        client = OpenAIClient(base_url=server.base_url)
        await client(ChatRequest("m", (("user", "q"),), parameters))
        await client.aclose()

    asyncio.run(main())

    body = server.requests[0][2]
    assert body["reasoning_effort"] == "low"
    assert body["x_own"] == {"deep": [1]}
    assert body["stream"] is False


@pytest.mark.parametrize(
    "usage", ["7", "null", "[]", '{"prompt_tokens": -1}', '{"prompt_tokens": "many"}']
)
def test_a_strange_usage_is_no_usage(server: FakeOpenAI, usage: str) -> None:
    body = f'{{"choices": [{{"message": {{"content": "so"}}}}], "usage": {usage}}}'
    server.faults = [(200, {"content-type": "application/json"}, body)]

    (reply,) = ask_many(server, 1)

    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("so", 0, 0)


def test_the_server_of_these_tests_answers_by_script_or_never_the_same(server: FakeOpenAI) -> None:
    server.reply = scripted("one", "two")
    assert sorted(reply.text for reply in ask_many(server, 3)) == ["one", "two", "two"]

    server.reply = never_the_same()
    assert len({reply.text for reply in ask_many(server, 30)}) == 30
