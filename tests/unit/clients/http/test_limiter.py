from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pytest

from ragate.clients.http.limiter import SEVERAL, Limiter
from tests.unit.clients.virtual_time import run


@dataclass
class Server:
    """Takes `rate` calls a second, with a reserve of `burst`; answers after `latency_s`."""

    rate: float
    burst: float
    latency_s: float = 0.05
    tell: bool = False
    accepted: int = 0
    rejected: int = 0
    _level: float = field(init=False)
    _since: float = 0.0

    def __post_init__(self) -> None:
        self._level = self.burst

    def refuses(self, now: float) -> bool:
        self._level = min(self.burst, self._level + (now - self._since) * self.rate)
        self._since = now
        if self._level < 1.0:
            self.rejected += 1
            return True
        self._level -= 1.0
        self.accepted += 1
        return False


async def ask(limiter: Limiter, server: Server, rng: random.Random) -> None:
    tries = 0
    while True:
        async with limiter.place(first_in_line=tries > 0) as place:
            await asyncio.sleep(server.latency_s)
            if not server.refuses(asyncio.get_running_loop().time()):
                limiter.accepted(place)
                return
            after = 1.0 if server.tell else 0.0
            limiter.refused(place, after or None)
        tries += 1
        await asyncio.sleep(after + rng.uniform(0.0, min(2.0, 0.5 * 2.0**tries)))


def ask_all(server: Server, count: int, concurrency: int = 16) -> float:
    """Return the seconds that `count` calls take, in virtual time."""

    async def main() -> float:
        limiter, rng = Limiter(concurrency), random.Random(0)
        await asyncio.gather(*(ask(limiter, server, rng) for _ in range(count)))
        return asyncio.get_running_loop().time()

    return run(main())


@pytest.mark.parametrize("tell", [False, True])
@pytest.mark.parametrize(
    ("rate", "count", "burst"), [(10, 200, 10), (10, 200, 20), (50, 1000, 50), (50, 1000, 10)]
)
def test_a_limited_server_is_used_to_its_limit_and_seldom_refuses(
    rate: float, count: int, burst: float, tell: bool
) -> None:
    server = Server(rate, burst, tell=tell)

    seconds = ask_all(server, count)

    assert server.accepted == count
    assert seconds <= 1.4 * count / rate
    assert server.rejected <= 0.5 * count


def test_without_refusals_all_places_are_used_all_the_time() -> None:
    server = Server(rate=1e9, burst=1e9, latency_s=0.2)

    assert ask_all(server, 160, concurrency=16) == pytest.approx(2.0, abs=0.01)


def test_a_single_refusal_concerns_its_own_call_alone() -> None:
    async def main() -> float | None:
        limiter = Limiter(4)
        for _ in range(SEVERAL - 1):
            async with limiter.place() as place:
                limiter.refused(place, after=60.0)
        async with limiter.place():
            pass
        assert asyncio.get_running_loop().time() < 1.0
        return limiter.pace

    assert run(main()) is None


def test_several_refusals_slow_everyone_down_and_the_servers_wait_is_kept() -> None:
    async def main() -> float:
        limiter = Limiter(4)
        for _ in range(SEVERAL):
            async with limiter.place() as place:
                await asyncio.sleep(0.001)
                limiter.refused(place, after=3.0)
        assert limiter.pace is not None
        async with limiter.place():
            return asyncio.get_running_loop().time()

    assert run(main()) >= 3.0


def test_a_call_that_was_sent_before_goes_before_new_ones() -> None:
    order: list[str] = []

    async def one(limiter: Limiter, name: str, *, again: bool) -> None:
        async with limiter.place(first_in_line=again):
            order.append(name)
            await asyncio.sleep(0.1)

    async def main() -> None:
        limiter = Limiter(1)
        await asyncio.gather(
            one(limiter, "under way", again=False),
            one(limiter, "new", again=False),
            one(limiter, "again", again=True),
        )

    run(main())

    assert order == ["under way", "again", "new"]


def test_a_caller_that_gives_up_leaves_no_place_taken() -> None:
    async def main() -> int:
        limiter, rng = Limiter(2), random.Random(0)

        async def hold() -> None:
            async with limiter.place():
                await asyncio.sleep(rng.uniform(0.0, 0.2))

        tasks = [asyncio.create_task(hold()) for _ in range(200)]
        for task in tasks:
            await asyncio.sleep(rng.uniform(0.0, 0.02))
            if rng.random() < 0.7:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return limiter.under_way

    assert run(main()) == 0


def test_a_provider_that_stumbles_is_left_alone_for_a_while() -> None:
    async def main() -> float:
        limiter = Limiter(2)
        limiter.rest(2.0)
        async with limiter.place():
            return asyncio.get_running_loop().time()

    assert run(main()) >= 2.0
