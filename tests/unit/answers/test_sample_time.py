"""Whose time it was that a sample ran out of."""

from __future__ import annotations

import asyncio
from typing import Any

from ragate.clients.memoised import Memo
from ragate.clients.provider_clock import waiting_for_worker
from ragate.protocols import ChatReply, ChatRequest
from ragate.resources.provider_clients import BeforePaying, LateClient
from tests.unit.answers.timed_systems import SAID, asked, kind, waits


def test_time_in_the_systems_own_code_is_the_systems():
    (output,) = asked(lambda: waits(11.0, 0.0))

    assert kind(output) == "system"


def test_time_that_a_provider_takes_is_the_providers():
    (output,) = asked(lambda: waits(1.0, 11.0))

    assert kind(output) == "provider"


def test_a_slow_provider_takes_nothing_of_the_systems_own_time():
    (output,) = asked(lambda: waits(9.0, 9.0))

    assert output.answer == SAID.answer


def test_time_until_a_worker_is_there_is_nobodys():
    async def work() -> None:
        with waiting_for_worker():
            await asyncio.sleep(100.0)
        await waits(9.0, 9.0)

    (output,) = asked(work)

    assert output.answer == SAID.answer


def test_a_call_waits_in_line_in_nobodys_time_and_in_its_own_for_the_provider() -> None:
    async def call(in_line_s: float, provider_s: float) -> ChatReply:
        with waiting_for_worker():
            await asyncio.sleep(in_line_s)
        await waits(0.0, provider_s)
        return ChatReply("Two days.")

    async def ask(in_line_s: float, provider_s: float) -> None:
        await Memo().draw("request", 0, lambda: call(in_line_s, provider_s))

    (patient,) = asked(lambda: ask(100.0, 9.0))
    (hurried,) = asked(lambda: ask(0.0, 11.0))

    assert patient.answer == SAID.answer
    assert kind(hurried) == "provider"


def test_a_look_before_the_first_answer_is_paid_for_is_nobodys_time() -> None:
    before = BeforePaying()

    async def look() -> None:
        await asyncio.sleep(100.0)  # the judge's server loads its model

    before.demand(look)

    async def answer(_request: ChatRequest, *, draw: int) -> ChatReply:
        await waits(0.0, 9.0)
        return ChatReply(f"answer {draw}")

    async def ask() -> None:
        client: Any = answer
        await LateClient(lambda: client, before)(ChatRequest("m", ()))

    first, second = asked(ask, ask)

    assert first.answer == second.answer == SAID.answer


def test_code_that_hangs_after_a_models_answer_is_the_systems_failure():
    async def work() -> None:
        await waits(0.0, 9.0)
        await asyncio.sleep(1000.0)

    (output,) = asked(work)

    assert kind(output) == "system"


def test_a_provider_that_is_slow_in_many_small_calls_runs_out_of_its_own_time():
    async def work() -> None:
        for _ in range(1000):
            await waits(0.1, 0.3)

    (output,) = asked(work)

    assert kind(output) == "provider"
