"""A worker: a process of the project's interpreter, asked over a socket of its own.

Standard output and error are the project's. What comes over the socket answers a request by its
id, which nobody can guess; anything else is nobody's.
"""

import asyncio
import json
import secrets
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ragate.worker
from ragate.clients.provider_clock import (
    SAMPLE_CLOCK,
    ProviderClock,
    SampleTime,
    waiting_for_worker,
)
from ragate.errors import LeftBehindError, RagateError, SystemStartError
from ragate.systems._process import LINE_BYTES, Child, start
from ragate.systems._talk import MAX_FAILURES, TOLD_LINES, EndedError, Talk, read_object, shown_line

PROGRAM = Path(ragate.worker.__file__).with_name("__main__.py")
_LONGEST_FOLDER = 70  # a socket's path may have 104 bytes on one system, 108 on another
_REMEDY = (
    "interpreter is the Python of your RAG's environment and its options, each an item: "
    '[".venv/bin/python"] or ["uv", "run", "python"]'
)
MOST_UNASKED = 1000  # replies to nothing, before it is taken for broken
_PULSE_S = 1.0  # without a reply, before it is asked whether it still runs


class Worker(Talk):
    """A process that runs, and what it was asked.

    Args:
        patience_s: How long it may be silent while several samples are under way in it: one that
            stops the process, or holds its interpreter, would let the others run out of time.
    """

    grace_s = 2.0

    def __init__(
        self,
        child: Child,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        patience_s: float,
    ) -> None:
        super().__init__(child, reader, writer)
        self._patience_s = patience_s
        self._pulse = secrets.token_hex(16)
        self._life: asyncio.Future[None] | None = None  # after a pulse, until anything is replied
        self._unasked = 0

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to one request.

        Raises:
            EndedError: the process ended, wrote something that is no reply, or is silent.
        """
        key = secrets.token_hex(16)
        with self.waiting.reply(key) as reply:
            self._send(key, request)
            while not (await asyncio.wait({reply}, timeout=min(_PULSE_S, self._patience_s / 4)))[0]:
                if len(self.waiting) > 1:
                    await self._alive(reply)
            answer: dict[str, Any] = reply.result()
        return answer

    async def close(self) -> None:
        """End it, and wait for nobody that it left behind: who holds the socket may never read.

        Raises:
            SystemStartError: something of it may be left.
        """
        try:
            await super().close()
        finally:
            self.writer.transport.abort()
            await asyncio.sleep(0)

    async def _alive(self, reply: asyncio.Future[Any]) -> None:
        """Wait for a reply or a sign of life: whose time it is that it is silent is not known yet.

        Where neither comes, no reply is waited for any more: who asked last may be alone by then.
        """
        if self._life is None or self._life.done():
            self._life = asyncio.get_running_loop().create_future()
            self._send(self._pulse, {"pulse": True})
        time = SampleTime()
        with waiting_for_worker():
            either: set[asyncio.Future[Any]] = {reply, self._life}
            done, _ = await asyncio.wait(
                either, timeout=self._patience_s, return_when="FIRST_COMPLETED"
            )
        if not done:
            silent = EndedError(f"replied to nothing for {self._patience_s:g} s")
            self.waiting.give_up(silent)
        time.own()

    def _send(self, key: str, request: Mapping[str, Any]) -> None:
        self.write(json.dumps({"id": key, **request}).encode())

    def take(self, line: bytes) -> None:
        """Settle the reply that has the key of a request; others are counted."""
        reply = read_object(line) or {}
        key = reply.get("id")
        if not isinstance(key, str):
            raise EndedError(f"wrote to its socket what is no reply: {shown_line(line)}")
        asked, alive = key in self.waiting, key == self._pulse
        if (asked or alive) and self._life is not None and not self._life.done():
            self._life.set_result(None)
        if asked:
            self.waiting.settle(key, reply)
        elif not alive:
            self._unasked += 1  # most often to a question that ran out of time
            if self._unasked > MOST_UNASKED:
                raise EndedError(f"wrote {self._unasked} replies to nothing that was asked")


# Starting a worker: the project's interpreter runs our file, which connects to a socket of
# ours.
#
# A socket by its path, in a folder that is nobody else's, reaches a worker through whatever
# starts it (``uv run``, ``conda run``): inherited descriptors would be closed on the way by
# some of them.


@dataclass(frozen=True)
class WorkerPlan:
    """How a worker is started.

    Attributes:
        interpreter: Program and arguments; the worker's own file and socket follow them.
        folder: Where it starts.
        secrets: What it is given and may not show.
        show: Gets each line that the project's code prints.
        patience_s: As `Worker` takes it.
    """

    interpreter: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    secrets: Sequence[str] = field(repr=False)
    start_timeout_s: float
    show: Callable[[str], None]
    patience_s: float


async def start_worker(plan: WorkerPlan) -> Worker:
    """Start a process and wait until it is connected.

    Raises:
        SystemStartError: there is no such program, it ended, or it did not connect in time; or
            this machine has no room for a socket.
    """
    if not hasattr(asyncio, "start_unix_server"):
        raise SystemStartError(
            "[system] use: code of the project runs in a worker, which needs Unix sockets, and "
            "there are none on this system",
            remedy="on Windows run ragate in WSL, or the RAG as a service (http) or a program "
            "(command)",
        )
    try:
        return await _started(plan)
    except OSError as error:  # of ours, not of the code under test: a full disk, too many files
        raise SystemStartError(
            f"[system] interpreter: no socket for a worker: {error.strerror or error}",
            remedy=f"make room in {_folder() or tempfile.gettempdir()}, or raise the limit of open "
            "files (ulimit -n)",
        ) from error


async def _started(plan: WorkerPlan) -> Worker:
    with tempfile.TemporaryDirectory(prefix="ragate-", dir=_folder()) as folder:
        address = str(Path(folder) / "worker")
        loop = asyncio.get_running_loop()
        connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            loop.create_future()
        )

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if connected.done():
                writer.close()  # there is one worker, and it was first
            else:
                connected.set_result((reader, writer))

        server = await asyncio.start_unix_server(accept, address, limit=LINE_BYTES)
        try:
            child = await start(
                (*plan.interpreter, str(PROGRAM), address),
                key="interpreter",
                cwd=plan.folder,
                environment=plan.environment,
                talks=False,
                remedy=_REMEDY,
                secrets=plan.secrets,
                show=plan.show,
            )
            reader, writer = await _connection(connected, child, plan)
        except BaseException:
            if not connected.cancel():
                connected.result()[1].transport.abort()
            raise
        finally:
            server.close()  # what is connected stays so
    return Worker(child, reader, writer, plan.patience_s)


async def _connection(
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]],
    child: Child,
    plan: WorkerPlan,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return both ends of the socket; the process is ended where there are none.

    Raises:
        SystemStartError: it ended, or did not connect in time.
    """
    ended = asyncio.create_task(child.wait())
    try:
        either: set[asyncio.Future[Any]] = {connected, ended}
        await asyncio.wait(either, timeout=plan.start_timeout_s, return_when="FIRST_COMPLETED")
    except BaseException:
        await child.stop()
        raise
    finally:
        ended.cancel()
    if connected.done():
        return connected.result()
    limit = f"did not start within {plan.start_timeout_s:g} s (start_timeout_s)"
    why = await child.why(lines=TOLD_LINES) if child.ended else limit
    await child.stop()
    raise SystemStartError(
        f"[system] interpreter: {plan.interpreter[0]!r} {why}, before it could be asked",
        remedy=_REMEDY,
    )


def _folder() -> str | None:
    """Return where a socket's folder is made: None for the usual place, if its path is short."""
    return "/tmp" if len(tempfile.gettempdir()) > _LONGEST_FOLDER else None  # noqa: S108


# Workers of one run: started anew when one dies, retired when a sample runs out of time in one.
#
# A sample's fate is its own: where a worker dies or replies to nothing, what was under way in it
# is asked once more, one at a time in a worker apart, so that a death has one cause; where a sample
# hangs in a worker that replies, the others are answered first, and new ones get a new worker.


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
        self._left: SystemStartError | None = None

    async def start(self) -> None:
        """Start the first worker.

        Raises:
            RagateError: the target cannot be opened.
        """
        await asyncio.shield(self._current().starting)

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to one request.

        Raises:
            EndedError: workers died of it, or died or hung of all that was asked before.
            SystemStartError: none can be started any more.
        """
        if self._failures >= MAX_FAILURES:
            raise self._given_up()
        time = SampleTime()
        try:
            reply = await self._asked(self._current(), request)
        except (EndedError, RagateError):
            # What else was under way may be the cause: nothing of this is the sample's time.
            time.disown()
            with waiting_for_worker():
                await self._apart.acquire()
            try:
                reply = await self._alone(request)
            finally:
                self._apart.release()
        self._failures = 0
        return reply

    async def close(self) -> None:
        """End all workers.

        Raises:
            SystemStartError: something of one of them may be left.
        """
        if self._slot is not None:
            self._retire(self._slot)
        await asyncio.gather(*self._closing, return_exceptions=True)
        if self._left is not None:
            raise self._left

    async def _alone(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if self._failures >= MAX_FAILURES:
            raise self._given_up()
        slot, time, provider = self._new_slot(), SampleTime(), SAMPLE_CLOCK.get() or ProviderClock()
        waited_s = provider.waited_s()
        try:
            return await self._asked(slot, request)
        except (EndedError, RagateError) as error:
            self._failures += 1
            self._why = str(error)
            self._unstartable = isinstance(error, SystemStartError)
            if self._unstartable:
                raise  # what it connects to is down, or the interpreter gone: nobody's answer
            raise EndedError(self._why) from error
        except asyncio.CancelledError:
            if provider.waited_s() - waited_s <= time.own_s() / 2:  # else it hung, not the code
                self._failures += 1
                self._why = "no output in time"
            raise
        finally:
            self._retire(slot)

    async def _asked(self, slot: _Slot, request: Mapping[str, Any]) -> dict[str, Any]:
        slot.asked += 1
        try:
            # Starting goes on where this sample runs out of time: the next one needs it too.
            if not slot.starting.done():
                with waiting_for_worker():
                    await asyncio.wait({slot.starting})
            return await slot.starting.result().ask(request)
        except asyncio.CancelledError:
            if slot.starting.done():  # it hangs, and no thread can be ended without its process
                self._retire(slot)
            raise
        except (EndedError, RagateError):
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
        task = asyncio.create_task(self._end(slot.starting))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _given_up(self) -> EndedError | SystemStartError:
        kind = SystemStartError if self._unstartable else EndedError
        return kind(f"not asked, after {MAX_FAILURES} failures in a row: {self._why}")

    async def _end(self, starting: asyncio.Task[Worker]) -> None:
        if not starting.done():
            starting.cancel()
            await asyncio.wait({starting})
        if starting.cancelled():
            return
        try:
            if (error := starting.exception()) is None:
                await starting.result().close()
            elif isinstance(error, LeftBehindError):  # it ended while it was started
                self._left = error
        except SystemStartError as left:
            self._left = left
