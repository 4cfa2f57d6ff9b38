"""Whose time it was that a sample ran out of."""

from __future__ import annotations

import asyncio

from ragate.clients.provider_clock import waiting_for_worker
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
