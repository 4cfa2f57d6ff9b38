"""How long a sample has waited for model providers."""

from __future__ import annotations

import asyncio

from ragate.clients.channel import in_line
from ragate.clients.http.limiter import Limiter
from ragate.clients.memoised import Memo
from ragate.clients.provider_clock import ProviderClock
from ragate.protocols import ChatReply
from tests.unit.answers.timed_systems import asked, kind


def test_the_wait_for_a_place_at_the_limiter_is_nobodys():
    limiter = Limiter(1)

    async def work() -> None:
        async with in_line(limiter):
            await asyncio.sleep(8.0)

    assert list(map(kind, asked(work, work, work))) == ["", "", ""]


def test_what_comes_once_the_place_is_there_is_the_providers():
    async def work() -> None:
        async with in_line(Limiter(1)):
            await asyncio.sleep(60.0)

    assert list(map(kind, asked(work))) == ["provider"]


def test_a_shared_call_takes_the_time_of_the_sample_that_makes_it():
    memo = Memo()

    async def hang() -> ChatReply:
        async with in_line(Limiter(1)):
            await asyncio.sleep(60.0)
        return ChatReply("late")

    async def work() -> None:
        await memo.draw("key", 0, hang)

    assert list(map(kind, asked(work, work))) == ["provider", ""]


def test_requests_under_way_at_once_count_once():
    moments = iter([0.0, 4.0, 6.0])
    clock = ProviderClock(lambda: next(moments))

    with clock.waiting(), clock.waiting():
        assert clock.waited_s() == 4.0

    assert clock.waited_s() == 6.0
