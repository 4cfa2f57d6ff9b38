"""How many calls a server gets at once is found: five servers, in virtual time."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest

from ragate.clients.http.limiter import Limiter, Sent
from tests.unit.clients.virtual_time import run

CALLS, MOST, LIMIT_S = 200, 16, 27.0


@dataclass
class Server:
    """Answers `slots` calls at once, each for `seconds`; others wait in its queue.

    Attributes:
        a_minute: Calls that it takes; more are refused. It has a reserve of a tenth of a minute.
        spread: A reply takes so many times longer or shorter.
    """

    seconds: float
    slots: int = 10_000
    a_minute: float = math.inf
    spread: float = 1.0
    _rng: random.Random = field(default_factory=lambda: random.Random(0))
    _level: float = 0.0
    _since: float = 0.0

    def __post_init__(self) -> None:
        self._level = self.a_minute / 10
        self._free = asyncio.Semaphore(self.slots)

    async def answer(self) -> bool:
        """Return False where the call is refused."""
        now = asyncio.get_running_loop().time()
        if self.a_minute < math.inf:
            gained = (now - self._since) * self.a_minute / 60
            self._level, self._since = min(self.a_minute / 10, self._level + gained), now
            if self._level < 1.0:
                await asyncio.sleep(0.05)
                return False
            self._level -= 1.0
        async with self._free:
            factor = self.spread ** self._rng.uniform(-1.0, 1.0)
            await asyncio.sleep(self.seconds * factor)
        return True


class Fixed(Limiter):
    """As many calls at once as somebody wrote down."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._by_time = float(self.most)

    def accepted(self, sent: Sent) -> None:
        """Learn nothing."""

    def refused(self, sent: Sent, after: float | None) -> None:
        """Learn nothing."""


def seconds(make: Callable[[], Server], limiter: Callable[[], Limiter]) -> float:
    """Return the time of all calls; infinite where one of them came too late."""

    async def main() -> float:
        server, gate, rng = make(), limiter(), random.Random(0)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(CALLS):
                tasks.create_task(_ask(server, gate, rng))
        return asyncio.get_running_loop().time()

    try:
        return run(main())
    except* TimeoutError:
        pass
    return math.inf


async def _ask(server: Server, gate: Limiter, rng: random.Random) -> None:
    tries = 0
    while True:
        async with gate.place(first_in_line=tries > 0) as sent:
            async with asyncio.timeout(LIMIT_S):
                taken = await server.answer()
            if taken:
                gate.accepted(sent)
                return
            gate.refused(sent, None)
        tries += 1
        await asyncio.sleep(rng.uniform(0.0, min(2.0, 0.1 * 2.0**tries)))


SERVERS: dict[str, Callable[[], Server]] = {
    "one slot": lambda: Server(3.0, slots=1),
    "one slow slot": lambda: Server(12.0, slots=1),
    "one slot, replies of every length": lambda: Server(3.0, slots=1, spread=2.0),
    "four slots": lambda: Server(3.0, slots=4),
    "sixteen slots and a queue": lambda: Server(3.0, slots=16),
    "60 calls a minute": lambda: Server(0.2, a_minute=60.0),
    "hosted": lambda: Server(0.2),
    "hosted, replies of every length": lambda: Server(2.0, spread=4.0),
    "hosted and slow": lambda: Server(8.0),
}


def test_a_fixed_width_is_the_one_that_was_written_down() -> None:
    """What the widths that are found are held against."""
    rounds = math.ceil(CALLS / MOST)
    assert seconds(lambda: Server(1.0), partial(Fixed, MOST)) == pytest.approx(rounds)


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_is_as_fast_as_with_the_best_width_and_no_call_is_too_late(name: str) -> None:
    make = SERVERS[name]
    best = min(seconds(make, partial(Fixed, width)) for width in (1, 4, MOST))

    found = seconds(make, lambda: Limiter(MOST, LIMIT_S))

    assert found <= (1.15 if "length" in name else 1.1) * best, (
        f"{name}: {found:.1f} s; the best fixed width {best:.1f} s"
    )


def test_a_server_of_which_nothing_ever_came_is_asked_by_all_at_once() -> None:
    async def main() -> tuple[float, int]:
        limiter = Limiter(MOST, LIMIT_S)

        async def hang() -> None:
            async with limiter.place() as sent:
                await asyncio.sleep(LIMIT_S)
                limiter.late(sent)

        await asyncio.gather(*(hang() for _ in range(2 + 1 + 1 + MOST)))
        return asyncio.get_running_loop().time(), limiter.under_way

    seconds, left = run(main())
    assert seconds == pytest.approx(4 * LIMIT_S)
    assert left == 0
