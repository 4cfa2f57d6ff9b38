"""How long a sample has waited for model providers."""

from __future__ import annotations

import asyncio

from ragate.clients.http.limiter import Limiter
from ragate.clients.memoised import Memo
from ragate.clients.provider_clock import ProviderClock, waiting_for_provider
from ragate.protocols import ChatReply
from tests.unit.pipeline.run.timed_systems import asked, kind


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
