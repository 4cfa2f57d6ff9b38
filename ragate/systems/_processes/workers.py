"""Workers of one run: started anew when one dies, retired when a sample runs out of time in one.

A sample's fate is its own: where a worker dies, what was under way in it is asked once more, one
at a time in a worker apart, so that a death has one cause; where a sample hangs, the others in its
worker are answered first, and new ones get a new worker.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragate.clients.provider_clock import waiting_for_provider
from ragate.errors import RagateError, SystemStartError
from ragate.systems._processes.worker import Worker, WorkerEndedError

MAX_FAILURES = 5  # in a row, without a single answer: the code is broken, not the question
_ATTEMPTS = 2


@dataclass(eq=False)
class _Slot:
    """A worker, from its start on, and how many samples are under way in it."""

    starting: asyncio.Task[Worker]
    asked: int = 0
    retired: bool = False


class Workers:
    """The workers of one target.

    Args:
        open_worker: Starts a worker that has opened the target.
    """

    def __init__(self, open_worker: Callable[[], Awaitable[Worker]]) -> None:
        self._open = open_worker
        self._slot: _Slot | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._apart = asyncio.Lock()
        self._failures = 0
        self._why = ""
        self._unstartable = False

    async def start(self) -> None:
        """Start the first worker.

        Raises:
            RagateError: the target cannot be opened.
        """
        await asyncio.shield(self._current().starting)

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to one request.

        Raises:
            WorkerEndedError: workers died of it, or of all that was asked before.
            SystemStartError: none can be started any more.
        """
        if self._failures >= MAX_FAILURES:
            raise self._given_up()
        try:
            reply = await self._asked(self._current(), request)
        except (WorkerEndedError, RagateError):
            # What else was under way may be the cause. The wait is not this sample's time.
            with waiting_for_provider():
                await self._apart.acquire()
            try:
                reply = await self._alone(request)
            finally:
                self._apart.release()
        self._failures = 0
        return reply

    async def close(self) -> None:
        """End all workers."""
        if self._slot is not None:
            self._retire(self._slot)
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _alone(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if self._failures >= MAX_FAILURES:
            raise self._given_up()
        slot = self._new_slot()
        try:
            return await self._asked(slot, request)
        except (WorkerEndedError, RagateError) as error:
            self._failures += 1
            self._why = str(error)
            self._unstartable = isinstance(error, SystemStartError)
            if self._unstartable:
                raise  # what it connects to is down, or the interpreter gone: nobody's answer
            raise WorkerEndedError(self._why) from error
        finally:
            self._retire(slot)

    async def _asked(self, slot: _Slot, request: Mapping[str, Any]) -> dict[str, Any]:
        slot.asked += 1
        try:
            # Starting goes on where this sample runs out of time: the next one needs it too.
            if not slot.starting.done():
                with waiting_for_provider():
                    await asyncio.wait({slot.starting})
            return await slot.starting.result().ask(request)
        except asyncio.CancelledError:
            if slot.starting.done():  # it hangs, and no thread can be ended without its process
                self._retire(slot)
            raise
        except (WorkerEndedError, RagateError):
            self._retire(slot)
            raise
        finally:
            slot.asked -= 1
            self._close_if_idle(slot)

    def _current(self) -> _Slot:
        if self._slot is None:
            self._slot = self._new_slot()
        return self._slot

    def _new_slot(self) -> _Slot:
        return _Slot(asyncio.ensure_future(self._open()))

    def _retire(self, slot: _Slot) -> None:
        slot.retired = True
        if self._slot is slot:
            self._slot = None
        self._close_if_idle(slot)

    def _close_if_idle(self, slot: _Slot) -> None:
        if not slot.retired or slot.asked:
            return
        slot.asked = -1  # once
        task = asyncio.create_task(_end(slot.starting))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _given_up(self) -> WorkerEndedError | SystemStartError:
        kind = SystemStartError if self._unstartable else WorkerEndedError
        return kind(f"not asked, after {MAX_FAILURES} failures in a row: {self._why}")


async def _end(starting: asyncio.Task[Worker]) -> None:
    if not starting.done():
        starting.cancel()
    worker = (await asyncio.gather(starting, return_exceptions=True))[0]
    if isinstance(worker, Worker):
        await worker.close()
