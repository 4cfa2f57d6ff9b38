"""Questions that are under way at once, and who hears how many have ended."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from ragate.spans import waiting

Heard = Callable[[int, int], None]


def unheard(_ended: int, _of: int) -> None:
    """Hear nothing."""


class Backlog:
    """Tasks under way, and the first failure among them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()
        self._space = asyncio.Event()
        self._failure: BaseException | None = None
        self._started = 0
        self._heard: Heard = unheard

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def failure(self) -> BaseException | None:
        """Return the first failure, None where there is none yet."""
        return self._failure

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._started += 1
        self._tasks.add(task)
        waiting("judgements", len(self))
        task.add_done_callback(self._ended)

    async def room(self) -> None:
        """Wait until more may be started: what waits is held in memory."""
        while len(self) >= self._most and self._failure is None:
            self._space.clear()
            await self._space.wait()

    async def wait(self, heard: Heard) -> None:
        """Wait until all have ended; raises the first failure at once."""
        self._heard = heard
        while self._tasks and self._failure is None:
            await asyncio.wait(list(self._tasks), return_when=asyncio.FIRST_EXCEPTION)
        self._heard = unheard
        if self._failure is not None:
            raise self._failure

    async def stop(self) -> None:
        """End what is still under way."""
        await stop(*self._tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        waiting("judgements", len(self))
        if len(self) <= self._most // 2:
            self._space.set()
        if not task.cancelled():
            failure = task.exception()  # looked at in every case: asyncio tells what nobody saw
            self._failure = self._failure or failure
        self._heard(self._started - len(self), self._started)


async def stop(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait for their end, however they end."""
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError, Exception):
            await task
