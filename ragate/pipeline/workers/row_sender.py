"""Outputs on their way to the queue: together where many are there, none later than it must be."""

import asyncio
from types import TracebackType
from typing import Self

from ragate.queue.leases import Lease, Leases

HURRIED_S = 5.0


class RowSender:
    """Appends the outputs of one block; whoever sends one waits until it is kept.

    So a question's place is free only when its answer cannot be lost any more: a worker that is
    killed loses what was in flight, and nothing that was answered.
    """

    def __init__(self, leases: Leases, lease: Lease) -> None:
        self._leases = leases
        self._lease = lease
        self._waiting: list[tuple[str, str, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._task is None:
            return
        # Who is told to end does not wait for a queue that is gone.
        hurried = kind is not None and issubclass(kind, asyncio.CancelledError)
        await asyncio.wait([self._task], timeout=HURRIED_S if hurried else None)
        self._task.cancel()

    async def send(self, sample: str, line: str) -> None:
        """Append one output; raises as `Leases.append`."""
        kept = asyncio.get_running_loop().create_future()
        self._waiting.append((sample, line, kept))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._flush())
        await kept

    async def _flush(self) -> None:
        while self._waiting:
            rows, self._waiting = self._waiting, []
            try:
                await self._leases.append(
                    self._lease, [row[0] for row in rows], [row[1] for row in rows]
                )
            except Exception as error:  # noqa: BLE001 - whoever sent them gets it
                for _, _, kept in rows:
                    if not kept.done():
                        kept.set_exception(error)
            else:
                for _, _, kept in rows:
                    if not kept.done():
                        kept.set_result(None)
