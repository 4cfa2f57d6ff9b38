"""A long-lived process that answers JSON lines as the system under test; docs/system-command.md."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic import Field

from ragate.errors import RagateError, SystemStartError
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources, Traits
from ragate.support.settings import read_settings
from ragate.systems._foreign import Foreign, ForeignSettings
from ragate.systems._output import OutputError, failed, to_output, unanswered, wanted
from ragate.systems._processes.peer import Peer, PeerError
from ragate.systems._processes.process import start
from ragate.systems._processes.variables import passed_secrets, program_environment

TRAITS = Traits()
MAX_FAILURES = 5  # in a row, without a single answer: the command is broken, not the question


class Settings(ForeignSettings):
    """Keys of ``[system]`` for ``use = "command"``.

    Attributes:
        command: Program and arguments; no shell reads them.
        parallel: The command works on several questions at once and names each reply by its id.
        ready: The command writes one line when it can be asked, such as ``{"ready": true}``.
        start_timeout_s: Seconds until that line.
        pass_env: Variables that hold keys of the policy and that the command needs all the same.
        record_header: The command names the sample in the header of each recorded request.
    """

    command: tuple[str, ...] = Field(min_length=1)
    parallel: bool = False
    ready: bool = False
    start_timeout_s: float = Field(default=60.0, gt=0)
    pass_env: tuple[str, ...] = ()
    record_header: bool = False


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
        output = to_output(reply, who="the command")
        return wanted(output, self._resources, took=time.perf_counter() - started)

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
        peer = (await asyncio.gather(opening, return_exceptions=True))[0]
        if isinstance(peer, Peer):
            await peer.close()


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
