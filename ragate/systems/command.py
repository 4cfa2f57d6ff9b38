"""A long-lived process that answers JSON lines as the system under test; docs/system-command.md."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from ragate.errors import LeftBehindError, RagateError, SystemStartError
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
from ragate.systems._process import Child, Programs
from ragate.systems._talk import EndedError, GivenUpError, Lives, Talk, read_object, shown_line

_READY = "\0ready"
TRAITS = Traits()


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
        self._programs = Programs(resources, settings.pass_env)
        self._lives = Lives(self._start)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Start the process.

        Raises:
            SystemStartError: there is no such program, or it does not get ready.
        """
        del rebuild
        try:
            await self._lives.current()
        except EndedError as error:
            program = self._settings.command[0]
            raise SystemStartError(f"[system] command: {program!r} {error}") from error

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the reply; a process that died is started again, and asked once more."""
        del run  # it can be asked again at will
        try:
            return await self._lives.ask(partial(self._asked, sample))
        except OutputError as error:
            return failed(str(error))
        except GivenUpError as error:
            return _lost(error.last, f"{error}: ")
        except LeftBehindError:  # code that nobody watches may run still: no failure of a sample
            raise
        except (EndedError, RagateError) as error:
            return _lost(error)

    async def close(self) -> None:
        """End the process and all that it started."""
        await self._lives.close()

    async def _asked(self, sample: Sample, peer: Peer) -> SystemOutput:
        started = time.perf_counter()
        try:
            reply = await peer.ask(sample)
        except asyncio.CancelledError:
            # Whether and when it answers the old question is unknown: nothing it says fits now.
            if not self._settings.parallel:
                await self._lives.close()
            raise
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

    async def _start(self) -> Peer:
        settings = self._settings
        child = await self._programs.start(settings.command, key="command", talks=True)
        peer = Peer(child, ordered=not settings.parallel)
        if settings.ready:
            try:
                await peer.wait_ready(settings.start_timeout_s)
            except BaseException:
                await peer.close()
                raise
        return peer


def _lost(error: Exception, lead: str = "") -> SystemOutput:
    """Return the output of a sample whose process ended; no program is nobody's answer."""
    if isinstance(error, SystemStartError):
        return unanswered(f"{lead}{error.message}")
    told = error.message if isinstance(error, RagateError) else f"the command {error}"
    return failed(f"{lead}{told}")


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


class Peer(Talk):
    """A program that is asked over its standard input, and replies on its standard output.

    Args:
        ordered: One question at a time, so that a reply need not say which it answers.
    """

    def __init__(self, child: Child, *, ordered: bool) -> None:
        replies, questions = child.process.stdout, child.process.stdin
        assert replies is not None
        assert questions is not None
        super().__init__(child, replies, questions)
        self._ordered = ordered

    async def wait_ready(self, timeout_s: float) -> None:
        """Wait for the first line.

        Raises:
            EndedError: it ended before, or wrote nothing in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                with self.waiting.reply(_READY) as line:
                    await line
        except TimeoutError as error:
            raise EndedError(f"wrote no line within {timeout_s:g} s of its start") from error

    async def ask(self, sample: Sample) -> dict[str, Any]:
        """Return the reply to one question.

        It is told what a user would know, never the expected answer.

        Raises:
            EndedError: the process ended, or wrote something that is no reply.
        """
        fields: dict[str, Any] = {
            "id": sample.id,
            "query": sample.query,
            "metadata": sample.metadata,
        }
        if sample.messages:
            fields["messages"] = sample.turns
        with self.waiting.reply(sample.id) as reply:
            self.write(json.dumps(fields, ensure_ascii=False, allow_nan=False).encode())
            answer: dict[str, Any] = await reply
        return answer

    def take(self, line: bytes) -> None:
        """Settle the reply of the question that a line names, or of the only one."""
        reply = read_object(line)
        if reply is None:
            raise EndedError(
                f"wrote to its output what is no JSON object: {shown_line(line)}; everything else "
                "belongs on its error output"
            )
        if _READY in self.waiting:
            key = _READY
        elif "id" in reply:
            key = str(reply["id"])
        elif self._ordered:
            key = next(iter(self.waiting), "")
        else:
            raise EndedError(
                f"wrote a reply without an id, with parallel = true: {shown_line(line)}"
            )
        if key in self.waiting:
            self.waiting.settle(key, reply)
        elif self._ordered:  # else its question ran out of time
            raise EndedError(f"wrote a reply to no question that was asked: {shown_line(line)}")
