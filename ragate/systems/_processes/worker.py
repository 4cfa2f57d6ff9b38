"""A worker: a process of the project's interpreter, asked over a socket of its own.

Standard output and error are the project's. What comes over the socket answers a request by its
id, which nobody can guess; anything else is nobody's.
"""

import asyncio
import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ragate.support.escape import one_line
from ragate.systems._processes.process import LINE_BYTES, Child

MOST_UNASKED = 1000  # replies to nothing, before it is taken for broken
TOLD_LINES = 5  # of what it wrote, where it ended
_GRACE_S = 2.0


class WorkerEndedError(Exception):
    """The process ended, or wrote what is no reply; the message goes on from its name."""


class Worker:
    """A process that runs, and what it was asked."""

    def __init__(
        self, child: Child, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._child = child
        self._reader = reader
        self._writer = writer
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._ended: WorkerEndedError | None = None
        self._unasked = 0
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._watch())]

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to one request.

        Raises:
            WorkerEndedError: the process ended, or wrote something that is no reply.
        """
        if self._ended is not None:
            raise self._ended
        key = secrets.token_hex(16)
        self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            with suppress(ConnectionError):  # whoever reads tells how it ended
                self._writer.write(json.dumps({"id": key, **request}).encode() + b"\n")
                await self._writer.drain()
            return await self._waiting[key]
        finally:
            del self._waiting[key]

    async def close(self) -> None:
        """Let it leave what it opened, and end it and all that it started."""
        self._break(WorkerEndedError("was ended"))
        self._writer.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._tasks[1]), _GRACE_S)
        await self._child.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # What it left behind may hold the other end and never read: nothing waits for that.
        self._writer.transport.abort()
        await asyncio.sleep(0)

    async def _read(self) -> None:
        try:
            while line := await self._reader.readline():
                self._take(line)
        except ConnectionError:
            pass
        except ValueError:
            self._break(WorkerEndedError(f"wrote a line of more than {LINE_BYTES} bytes"))
        except WorkerEndedError as error:
            self._break(error)
        self._break(WorkerEndedError(await self._child.why(lines=TOLD_LINES)))

    async def _watch(self) -> None:
        """See the end of the process also where something that it started holds its socket."""
        await self._child.wait()
        self._break(WorkerEndedError(await self._child.why(lines=TOLD_LINES)))

    def _take(self, line: bytes) -> None:
        line = self._child.without_secrets(line)
        try:
            reply = json.loads(line)
            future = self._waiting.get(reply["id"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            said = one_line(line[:1000].decode("utf-8", "replace"), 200)
            raise WorkerEndedError(f"wrote to its socket what is no reply: {said}") from error
        if future is None:
            self._unasked += 1  # most often to a question that ran out of time
            if self._unasked > MOST_UNASKED:
                raise WorkerEndedError(f"wrote {self._unasked} replies to nothing that was asked")
        elif not future.done():
            future.set_result(reply)

    def _break(self, error: WorkerEndedError) -> None:
        self._ended = self._ended or error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self._ended)
