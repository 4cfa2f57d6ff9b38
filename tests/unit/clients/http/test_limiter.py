from __future__ import annotations

import asyncio
import math
import random
from dataclasses import dataclass, field
from statistics import median

import pytest

from ragate.clients.http.limiter import SEVERAL_REFUSED, Breaker, Limiter
from ragate.errors import ProviderError
from tests.unit.clients.virtual_time import run


@dataclass
class Server:
    """Takes `rate` calls a second, with a reserve of `burst`; answers after `latency_s`.

    It refuses `share` of the calls besides, whatever their pace, and one call in ten comes to it up
    to `stalls_s` late.
    """

    rate: float
    burst: float
    latency_s: float = 0.05
    tell: bool = False
    share: float = 0.0
    seed: int = 0
    stalls_s: float = 0.0
    accepted: int = 0
    rejected: int = 0
    _level: float = field(init=False)
    _since: float = 0.0

    def __post_init__(self) -> None:
        self._level = self.burst
        self._rng = random.Random(self.seed)

    def latency(self) -> float:
        """Return the seconds that a call takes to it."""
        stalled = self.stalls_s and self._rng.random() < 0.1
        return self.latency_s + (self._rng.uniform(0.0, self.stalls_s) if stalled else 0.0)

    def refuses(self, now: float) -> bool:
        self._level = min(self.burst, self._level + (now - self._since) * self.rate)
        self._since = now
        if self._level < 1.0 or self._rng.random() < self.share:
            self.rejected += 1
            return True
        self._level -= 1.0
        self.accepted += 1
        return False


async def ask(limiter: Limiter, server: Server, rng: random.Random) -> None:
    tries = 0
    while True:
        async with limiter.place(first_in_line=tries > 0) as place:
            await asyncio.sleep(server.latency())
            if not server.refuses(asyncio.get_running_loop().time()):
                limiter.accepted(place)
                return
            after = 1.0 if server.tell else 0.0
            limiter.refused(place, after or None)
        tries += 1
        await asyncio.sleep(after + rng.uniform(0.0, min(2.0, 0.05 * 2.0**tries)))


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


@pytest.mark.parametrize("tell", [False, True])
@pytest.mark.parametrize("latency_s", [0.003, 0.2])
def test_calls_that_come_late_do_not_make_a_limit_look_like_refusals_at_any_pace(
    latency_s: float, tell: bool
) -> None:
    for seed in range(20):
        server = Server(10, 10, latency_s=latency_s, tell=tell, seed=seed, stalls_s=0.5)

        ask_all(server, 50, concurrency=6)

        assert (server.accepted, seed) == (50, seed)
        assert server.rejected <= 0.5 * 50, seed


@pytest.mark.parametrize("tell", [False, True])
@pytest.mark.parametrize(("rate", "count"), [(2, 60), (10, 200), (50, 600)])
def test_a_limited_server_that_refuses_half_of_the_calls_besides_is_used_to_its_limit(
    rate: float, count: int, tell: bool
) -> None:
    servers = [Server(rate, rate, tell=tell, share=0.5, seed=seed) for seed in range(5)]

    seconds = median(ask_all(server, count) for server in servers)

    assert {server.accepted for server in servers} == {count}
    unluckiest_s = math.log2(count) if tell else 0.0  # a second for each of its refusals
    assert seconds <= 2.0 * count / rate + unluckiest_s


@pytest.mark.parametrize("latency_s", [0.003, 0.05, 0.5])
@pytest.mark.parametrize("count", [12, 60, 300])
def test_a_server_that_refuses_at_any_pace_is_not_asked_ever_more_slowly(
    count: int, latency_s: float
) -> None:
    servers = [
        Server(rate=1e9, burst=1e9, latency_s=latency_s, share=0.5, seed=seed) for seed in range(15)
    ]

    seconds = median(ask_all(server, count) for server in servers)

    assert {server.accepted for server in servers} == {count}
    assert seconds <= 12.0 + 2.0 * (2 * count * latency_s / 16)


def test_without_refusals_all_places_are_used_after_two_rounds() -> None:
    server = Server(rate=1e9, burst=1e9, latency_s=0.2)

    assert ask_all(server, 2 + 8 + 9 * 16, concurrency=16) == pytest.approx(11 * 0.2, abs=0.01)


def test_a_single_refusal_concerns_its_own_call_alone() -> None:
    async def main() -> float | None:
        limiter = Limiter(4)
        for _ in range(SEVERAL_REFUSED - 1):
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
        for _ in range(SEVERAL_REFUSED):
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


# When a provider is left alone, and for how long.


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
