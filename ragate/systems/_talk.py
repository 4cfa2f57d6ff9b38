"""Requests to a process of the project and its replies, one JSON object a line; and its next life.

`Talk` asks one process. `Lives` starts the next where one ended, and gives up after a few.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Generic, Protocol, TypeVar

from ragate.errors import RagateError
from ragate.guards.escape import one_line
from ragate.systems._output import OutputError
from ragate.systems._process import LINE_BYTES, Child

MAX_FAILURES = 5  # in a row, without a single answer: the code is broken, not the question
TOLD_LINES = 5  # of what it wrote, where it ended
_REST_S = 0.2  # for what it wrote last


class EndedError(Exception):
    """A process ended, or wrote what is no reply; the message goes on from its name.

    Attributes:
        crashed: It ended, so that it is worth asking again.
    """

    def __init__(self, message: str, *, crashed: bool = False) -> None:
        super().__init__(message)
        self.crashed = crashed


class Expected(dict[str, asyncio.Future[Any]]):
    """Replies by key, until whoever gives them is broken."""

    broken: Exception | None = None

    @contextmanager
    def reply(self, key: str) -> Iterator[asyncio.Future[Any]]:
        """Yield the reply to come; raises why none can come any more."""
        if self.broken is not None:
            raise self.broken
        self[key] = reply = asyncio.get_running_loop().create_future()
        try:
            yield reply
        finally:
            self.pop(key, None)
            reply.cancel()  # else asyncio prints an error that came when nobody waited any more

    def settle(self, key: str, reply: Any) -> None:
        """Give the reply to whoever still waits for it."""
        if not self[key].done():
            self[key].set_result(reply)

    def give_up(self, error: Exception) -> None:
        """Raise an error, or the one before it, where a reply is waited for, now and later."""
        self.broken = self.broken or error
        for future in self.values():
            if not future.done():
                future.set_exception(self.broken)


class Talk:
    """A process that is asked; `take` of a kind of it says what a line replies to."""

    grace_s = 0.0  # to end by itself when nobody asks any more

    def __init__(
        self, child: Child, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._child = child
        self.writer = writer
        self.waiting = Expected()
        self._reading = asyncio.create_task(self._read(reader))
        self._watching = asyncio.create_task(self._watch())

    def take(self, line: bytes) -> None:
        """Settle the reply that a line is.

        Raises:
            EndedError: it is none.
        """
        raise NotImplementedError

    def write(self, line: bytes) -> None:
        """Send a line; where its end is closed, whoever reads tells how it ended."""
        if not self.writer.is_closing():
            self.writer.write(line + b"\n")

    async def close(self) -> None:
        """Let it leave what it opened, and end it and all that it started.

        Raises:
            SystemStartError: something of it may be left.
        """
        self.waiting.give_up(EndedError("was ended"))
        self.writer.close()
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._child.wait(), self.grace_s)
        finally:
            await self._stop()

    async def _stop(self) -> None:
        try:
            await self._child.stop()
        finally:
            tasks = (self._reading, self._watching)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                if line.strip():
                    self.take(self._child.without_secrets(line))
        except ConnectionError:
            pass
        except ValueError:
            self.waiting.give_up(EndedError(f"wrote a line of more than {LINE_BYTES} bytes"))
        except EndedError as error:
            self.waiting.give_up(error)
        await self._give_up()

    async def _watch(self) -> None:
        """See the end of the process also where something that it started holds its pipes."""
        await self._child.wait()
        await asyncio.wait({self._reading}, timeout=_REST_S)
        await self._give_up()

    async def _give_up(self) -> None:
        why = await self._child.why(lines=TOLD_LINES)
        self.waiting.give_up(EndedError(why, crashed=True))


def read_object(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a line, None where it is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def shown_line(line: bytes) -> str:
    """Return the beginning of a line, for a message."""
    return one_line(line[:1600].decode("utf-8", "replace"), 200)


# Processes and sessions that follow one another.


class Closable(Protocol):
    """What is asked, and ended."""

    async def close(self) -> None: ...


T = TypeVar("T", bound=Closable)
R = TypeVar("R")


class GivenUpError(Exception):
    """Nothing is asked any more.

    Attributes:
        last: What went wrong last.
    """

    def __init__(self, last: Exception) -> None:
        super().__init__(f"not asked, after {MAX_FAILURES} failures in a row")
        self.last = last


class Lives(Generic[T]):
    """Who is asked: started for the first question, and anew where it ended.

    Args:
        start: Starts the next.
    """

    def __init__(self, start: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._start = start
        self._starting: asyncio.Task[T] | None = None
        self._failures = 0
        self._last: Exception = EndedError("was never asked")

    async def current(self) -> T:
        """Return who is asked, started."""
        return await asyncio.shield(self._current())

    async def ask(self, ask: Callable[[T], Awaitable[R]]) -> R:
        """Return what `ask` returns; where who was asked ended, the next one is asked once more.

        Raises:
            EndedError, RagateError: none gave an answer.
            GivenUpError: too many ended before.
        """
        for last in (False, True):
            if self._failures >= MAX_FAILURES:
                raise GivenUpError(self._last)
            starting = self._current()
            try:
                # Starting goes on where this sample runs out of time: the next one needs it too.
                reply = await ask(await asyncio.shield(starting))
            except (EndedError, RagateError) as error:
                if self._starting is starting:  # one failure, however many samples waited for it
                    self._failures += 1
                    self._last = error
                    await self.close()
                if last or (isinstance(error, EndedError) and not error.crashed):
                    raise
            except OutputError:  # what it said is no output, and it did say something
                self._failures = 0
                raise
            else:
                self._failures = 0
                return reply
        raise AssertionError

    async def close(self) -> None:
        """End who is asked; the next question starts another."""
        starting, self._starting = self._starting, None
        if starting is None:
            return
        if not starting.done():
            starting.cancel()
            await asyncio.wait({starting})
        if not starting.cancelled() and starting.exception() is None:
            await starting.result().close()

    def _current(self) -> asyncio.Task[T]:
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return self._starting
