"""Questions that are under way at once."""

from __future__ import annotations

import asyncio

from ragate.answers.backlog import Backlog


def test_who_waits_hears_of_each_that_ends_and_of_none_before() -> None:
    heard: list[tuple[int, int]] = []

    async def ask(event: asyncio.Event | None) -> None:
        if event is not None:
            await event.wait()

    async def work() -> None:
        backlog, event = Backlog(8), asyncio.Event()
        backlog.start(ask(None))
        await asyncio.sleep(0.01)  # ends before anybody waits
        backlog.start(ask(event))
        backlog.start(ask(event))
        asyncio.get_running_loop().call_soon(event.set)
        await backlog.wait(lambda ended, of: heard.append((ended, of)))

    asyncio.run(work())

    assert heard == [(2, 3), (3, 3)]
