"""A long-lived process that answers JSON lines as the system under test; docs/system-command.md."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar

from pydantic import Field

from ragate.errors import RagateError, SystemStartError
from ragate.guards.escape import one_line
from ragate.models import Sample, SystemOutput
from ragate.outputs.pointed import Pointers
from ragate.protocols import Resources, Traits
from ragate.settings import read_settings
from ragate.systems._foreign import Foreign, ForeignSettings, note
from ragate.systems._output import (
    OutputError,
    failed,
    pointed_reply,
    to_output,
    unanswered,
    wanted,
)
from ragate.systems._process import LINE_BYTES, Child, Expected, start
from ragate.systems._variables import passed_secrets, program_environment

_READY = "\0ready"
_SHOWN = 200
TRAITS = Traits()
MAX_FAILURES = 5  # in a row, without a single answer: the command is broken, not the question


class Settings(ForeignSettings):
    """A program that answers line by line: [A program](system-command.md).

    It is started in the folder of `ragate.toml`. What only a shell understands (`|`, `$HOME`, `&&`)
    goes into a script.

    Attributes:
        command: The program and its arguments, each an item of its own; no shell reads them.
        parallel: The program works on several questions at once and names each reply by its `id`.
        ready: The program writes one line, such as `{"ready": true}`, when it can be asked.
        start_timeout_s: Seconds until that line.
        pass_env: Variables with secrets that the program needs [all the same](system-command.md).
        record_header: Each recorded request names its question in the header `x-ragate-sample`.
        pointers: Where in a line each part is, where that is no recorded output; a line with
            `error` is a failure all the same.
        doc_id_relative_to: Where the ids are paths: the folder that they are told relative to.
    """

    later_keys: ClassVar[frozenset[str]] = frozenset({"pointers", "doc_id_relative_to"})

    command: tuple[str, ...] = Field(min_length=1)
    parallel: bool = False
    ready: bool = False
    start_timeout_s: float = Field(default=60.0, gt=0)
    pass_env: tuple[str, ...] = ()
    record_header: bool = False
    pointers: Pointers = Pointers()
    doc_id_relative_to: str = ""


class CommandSystem(Foreign):
    """One process for all samples; a crash starts it again and asks once more."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        super().__init__("command", settings, resources.root)
        self.max_concurrency = None if settings.parallel else 1
        self._settings = settings
        self._resources = resources
        self._environment = program_environment(resources, settings.pass_env)
        self._secrets = passed_secrets(resources, settings.pass_env)
        self._opening: asyncio.Task[Peer] | None = None
        self._failures = 0
        self._why = ""
        self._unstartable = False  # no program, no process left: nobody's answer

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Start the process.

        Raises:
            SystemStartError: there is no such program, or it does not get ready.
        """
        del rebuild
        argv = self._settings.command
        try:
            await asyncio.shield(self._opened())
        except PeerError as error:
            raise SystemStartError(f"[system] command: {argv[0]!r} {error}") from error

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the reply; a process that died is started again, and asked once more."""
        del run  # it can be asked again at will
        error: Exception | None = None
        for _ in range(2):
            if self._failures >= MAX_FAILURES:
                break
            opening = self._opened()
            try:
                return await self._asked(opening, sample)
            except OutputError as problem:
                return failed(str(problem))
            except (PeerError, RagateError) as problem:
                error = problem
                await self._broke(opening, problem)
                if isinstance(problem, PeerError) and not problem.crashed:
                    break
        given_up = "" if error else f"not asked, after {MAX_FAILURES} failures in a row: "
        output = unanswered if self._unstartable else failed
        return output(f"{given_up}{self._why}")

    async def close(self) -> None:
        """End the process and all that it started."""
        await self._drop()

    async def _asked(self, opening: asyncio.Task[Peer], sample: Sample) -> SystemOutput:
        # Starting it goes on where this sample runs out of time: the next one needs it too.
        peer = await asyncio.shield(opening)
        started = time.perf_counter()
        try:
            reply = await peer.ask(sample.id, _request(sample))
        except asyncio.CancelledError:
            # Whether and when it answers the old question is unknown: nothing it says fits now.
            if not self._settings.parallel and self._opening is opening:
                await self._drop()
            raise
        self._failures = 0
        note(reply)
        output = to_output(self._read(reply), who="the command")
        return wanted(output, self._resources, took=time.perf_counter() - started)

    def _read(self, reply: Any) -> Any:
        """Return the fields of an output: a line that tells an error is one as it stands."""
        settings = self._settings
        if settings.pointers.empty or reply.get("error"):
            return reply
        folder, root = settings.doc_id_relative_to, self._resources.root
        return pointed_reply(reply, settings.pointers, folder=folder, root=root)

    async def _broke(self, opening: asyncio.Task[Peer], error: Exception) -> None:
        """Count one failure of a process, however many samples were waiting for it."""
        if self._opening is opening:
            self._failures += 1
            self._why = error.message if isinstance(error, RagateError) else f"the command {error}"
            self._unstartable = isinstance(error, SystemStartError)
            await self._drop()

    def _opened(self) -> asyncio.Task[Peer]:
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return self._opening

    async def _open(self) -> Peer:
        settings, resources = self._settings, self._resources
        child = await start(
            settings.command,
            key="command",
            cwd=resources.root,
            environment=self._environment,
            talks=True,
            secrets=self._secrets,
        )
        peer = Peer(child, ordered=not settings.parallel)
        if settings.ready:
            try:
                await peer.wait_ready(settings.start_timeout_s)
            except BaseException:
                await peer.close()
                raise
        return peer

    async def _drop(self) -> None:
        opening, self._opening = self._opening, None
        if opening is None:
            return
        if not opening.done():
            opening.cancel()
            await asyncio.wait({opening})
        if not opening.cancelled() and opening.exception() is None:
            await opening.result().close()


def _request(sample: Sample) -> bytes:
    """Return the line for one sample: what a user would know, never the expected answer."""
    fields: dict[str, Any] = {"id": sample.id, "query": sample.query, "metadata": sample.metadata}
    if sample.messages:
        fields["messages"] = sample.turns
    return json.dumps(fields, ensure_ascii=False, allow_nan=False).encode() + b"\n"


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[CommandSystem]:
    """Yield the system; the process ends with it.

    Raises:
        ConfigError: a key is unknown or wrong.
    """
    system = CommandSystem(read_settings(Settings, settings, where="[system]"), resources)
    try:
        yield system
    finally:
        await system.close()


# Questions and replies over the pipes of a process, one JSON object a line.


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
        self._waiting = Expected()
        self._turn = asyncio.Lock()
        self._reader = asyncio.create_task(self._read())

    async def wait_ready(self, timeout_s: float) -> None:
        """Wait for the first line.

        Raises:
            PeerError: it ended before, or wrote nothing in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                with self._waiting.reply(_READY) as line:
                    await line
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
        self._waiting.give_up(PeerError("was ended"))
        stdin = self._child.process.stdin
        if stdin is not None:
            stdin.close()  # a well-behaved command ends by itself now
        await self._child.stop()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _exchange(self, key: str, line: bytes) -> Any:
        stdin = self._child.process.stdin
        assert stdin is not None
        with self._waiting.reply(key) as reply:
            with suppress(ConnectionError):  # the reader tells how it ended
                stdin.write(line)
                await stdin.drain()
            return await reply

    async def _read(self) -> None:
        try:
            while line := await self._child.read_line():
                if line.strip():
                    self._take(line)
        except PeerError as error:
            self._waiting.give_up(error)
        except ValueError:
            self._waiting.give_up(PeerError(f"wrote a line of more than {LINE_BYTES} bytes"))
        else:
            self._waiting.give_up(PeerError(await self._child.why(), crashed=True))

    def _take(self, line: bytes) -> None:
        reply = _parsed(line)
        if _READY in self._waiting:
            self._waiting.settle(_READY, reply)
        elif "id" in reply and str(reply["id"]) in self._waiting:
            self._waiting.settle(str(reply["id"]), reply)
        elif not self._ordered:
            if "id" not in reply:
                raise PeerError(f"wrote a reply without an id, with parallel = true: {_cut(line)}")
        elif "id" in reply or not self._waiting:
            raise PeerError(f"wrote a reply to no question that was asked: {_cut(line)}")
        else:
            self._waiting.settle(next(iter(self._waiting)), reply)


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
