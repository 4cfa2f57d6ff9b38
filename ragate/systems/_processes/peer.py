"""Questions and replies over the pipes of a process, one JSON object a line."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from ragate.support.escape import one_line
from ragate.systems._processes.process import LINE_BYTES, Child

_READY = "\0ready"
_SHOWN = 200


class PeerError(Exception):
    """The process cannot go on.

    Attributes:
        crashed: It ended, as opposed to wrote what is no reply.
    """

    def __init__(self, message: str, *, crashed: bool = False) -> None:
        super().__init__(message)
        self.crashed = crashed


class Peer:
    """A process that is asked and replies.

    Args:
        ordered: One question at a time, so that a reply need not say which it answers.
    """

    def __init__(self, child: Child, *, ordered: bool) -> None:
        self._child = child
        self._ordered = ordered
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._broken: PeerError | None = None
        self._turn = asyncio.Lock()
        self._reader = asyncio.create_task(self._read())

    async def wait_ready(self, timeout_s: float) -> None:
        """Wait for the first line.

        Raises:
            PeerError: it ended before, or wrote nothing in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                await self._expect(_READY)
        except TimeoutError as error:
            raise PeerError(f"wrote no line within {timeout_s:g} s of its start") from error

    async def ask(self, key: str, line: bytes) -> Any:
        """Return the reply to one question.

        Raises:
            PeerError: the process ended, or wrote something that is no reply.
        """
        if not self._ordered:
            return await self._exchange(key, line)
        async with self._turn:
            return await self._exchange(key, line)

    async def close(self) -> None:
        """End the process."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        self._break(PeerError("was ended"))
        stdin = self._child.process.stdin
        if stdin is not None:
            stdin.close()  # a well-behaved command ends by itself now
        await self._child.stop()

    async def _exchange(self, key: str, line: bytes) -> Any:
        stdin = self._child.process.stdin
        assert stdin is not None
        reply = asyncio.ensure_future(self._expect(key))
        try:
            with suppress(ConnectionError):  # the reader tells how it ended
                stdin.write(line)
                await stdin.drain()
            return await reply
        finally:
            reply.cancel()

    async def _expect(self, key: str) -> Any:
        if self._broken is not None:
            raise self._broken
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[key] = future
        try:
            return await future
        finally:
            self._waiting.pop(key, None)

    async def _read(self) -> None:
        try:
            while line := await self._child.read_line():
                if line.strip():
                    self._take(line)
        except PeerError as error:
            self._break(error)
        except ValueError:
            self._break(PeerError(f"wrote a line of more than {LINE_BYTES} bytes"))
        else:
            self._break(PeerError(await self._child.why(), crashed=True))

    def _take(self, line: bytes) -> None:
        reply = _parsed(line)
        if _READY in self._waiting:
            self._settle(_READY, reply)
        elif "id" in reply and str(reply["id"]) in self._waiting:
            self._settle(str(reply["id"]), reply)
        elif not self._ordered:
            if "id" not in reply:
                raise PeerError(f"wrote a reply without an id, with parallel = true: {_cut(line)}")
        elif "id" in reply or not self._waiting:
            raise PeerError(f"wrote a reply to no question that was asked: {_cut(line)}")
        else:
            self._settle(next(iter(self._waiting)), reply)

    def _settle(self, key: str, reply: Any) -> None:
        future = self._waiting[key]
        if not future.done():
            future.set_result(reply)

    def _break(self, error: PeerError) -> None:
        self._broken = self._broken or error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise PeerError(
            f"wrote to its output what is no JSON object: {_cut(line)}; everything else belongs on "
            "its error output"
        )
    return reply


def _cut(line: bytes) -> str:
    return one_line(line[: 8 * _SHOWN].decode("utf-8", "replace"), _SHOWN)
