"""Whose time it was that a sample ran out of: the system's, or a model provider's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from ragate.clients.http.limiter import Limiter
from ragate.clients.memoised.memoised_chat import Memo
from ragate.clients.provider_clock import ProviderClock, waiting_for_provider
from ragate.errors import BudgetError
from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.pipeline.run.collect_pass import ask
from ragate.protocols import ChatReply
from tests.factories import sample_factory
from tests.unit.clients.virtual_time import run

SAID = SystemOutput(answer="It is so.")


@dataclass
class Scripted:
    """A system that does what a test says, and answers."""

    work: Callable[[], Awaitable[None]]
    info: SystemInfo = field(default_factory=lambda: SystemInfo(use="scripted"))
    max_runs: int | None = None

    async def prepare(self, *, rebuild: bool = False) -> None:
        return

    async def documents(self) -> frozenset[str] | None:
        return None

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        await self.work()
        return SAID


def asked(*works: Callable[[], Awaitable[None]], limit_s: float = 10.0) -> list[SystemOutput]:
    """Return the outputs of samples that are asked at once, one for each work."""

    async def main() -> list[SystemOutput]:
        sample = sample_factory()
        return await asyncio.gather(
            *(ask(Scripted(work), sample, run=0, timeout_s=limit_s) for work in works)
        )

    return run(main())


def kind(output: SystemOutput) -> str:
    return output.error.kind if output.error else ""


async def waits(own_s: float, provider_s: float) -> None:
    await asyncio.sleep(own_s)
    with waiting_for_provider():
        await asyncio.sleep(provider_s)


def test_time_in_the_systems_own_code_is_the_systems():
    (output,) = asked(lambda: waits(11.0, 0.0))

    assert kind(output) == "system"


def test_time_that_a_provider_takes_is_the_providers():
    (output,) = asked(lambda: waits(1.0, 11.0))

    assert kind(output) == "provider"


def test_a_slow_provider_takes_nothing_of_the_systems_own_time():
    (output,) = asked(lambda: waits(9.0, 9.0))

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


def test_a_system_that_swallows_the_end_of_its_time_has_no_output():
    async def work() -> None:
        try:
            await waits(0.0, 60.0)
        except asyncio.CancelledError:
            return

    (output,) = asked(work)

    assert kind(output) == "provider"


def test_a_cap_that_is_reached_when_time_is_up_still_ends_the_run():
    async def work() -> None:
        try:
            await asyncio.sleep(60.0)
        except asyncio.CancelledError:
            raise BudgetError("a cap is reached") from None

    with pytest.raises(BudgetError):
        asked(work)


def test_the_wait_for_a_place_at_the_limiter_is_the_providers():
    limiter = Limiter(1)

    async def work() -> None:
        with waiting_for_provider():
            async with limiter.place():
                await asyncio.sleep(8.0)

    outputs = asked(work, work, work)

    assert sorted(map(kind, outputs)) == ["", "provider", "provider"]


def test_each_sample_that_waits_for_a_shared_call_waits_for_the_provider():
    memo = Memo()

    async def hang() -> ChatReply:
        await asyncio.sleep(60.0)
        return ChatReply("late")

    async def work() -> None:
        await memo.draw("key", 0, hang)

    assert list(map(kind, asked(work, work))) == ["provider", "provider"]


def test_requests_under_way_at_once_count_once():
    moments = iter([0.0, 4.0, 6.0])
    clock = ProviderClock(lambda: next(moments))

    with clock.waiting(), clock.waiting():
        assert clock.waited_s() == 4.0

    assert clock.waited_s() == 6.0
