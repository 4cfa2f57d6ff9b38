"""A process of the project: started in a group of its own, so that all of it ends with the run."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ragate.clients.http.redact import Redactor
from ragate.errors import SystemStartError
from ragate.process.secrecy import hide_memory
from ragate.systems._processes.tail import Tail

LINE_BYTES = 16 * 1024 * 1024
_ITEMS = 'the first item is the program, each argument is an item of its own: ["python", "rag.py"]'
_GRACE_S = 2.0
_REST_S = 0.2
_LAST_LINES_S = 1.0


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """The pipes of a process, and its end: `Process.wait` also waits for the end of the pipes.

    What it started may hold these open for ever.
    """

    def __init__(self) -> None:
        super().__init__(limit=LINE_BYTES, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        self.exited.set()
        super().process_exited()


class Child:
    """A running process. With `talks`, its standard input and output are pipes."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        streams: _Streams,
        *,
        talks: bool,
        secrets: Sequence[str] = (),
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._redact = Redactor(secrets) if secrets else None
        loop = asyncio.get_running_loop()
        self.process = asyncio.subprocess.Process(transport, streams, loop)
        self.tail = Tail(show, clean=self.without_secrets)
        self._transport = transport
        self._exited = streams.exited
        told = [self.process.stderr] if talks else [self.process.stdout]
        self._readers = [
            asyncio.create_task(self.tail.read(stream)) for stream in told if stream is not None
        ]

    @property
    def ended(self) -> bool:
        return self.process.returncode is not None

    async def wait(self) -> None:
        """Wait until it has ended, whatever else holds its pipes open."""
        await self._exited.wait()

    def without_secrets(self, content: bytes) -> bytes:
        """Return what it wrote, without the secrets that it was given."""
        if self._redact is None:
            return content
        text = content.decode("utf-8", "surrogateescape")
        return self._redact(text).encode("utf-8", "surrogateescape")

    async def read_line(self) -> bytes:
        """Return the next line of its output, or b"" when it has ended and nothing more comes.

        Raises:
            ValueError: the line has more than `LINE_BYTES`.
        """
        assert self.process.stdout is not None
        line = asyncio.ensure_future(self.process.stdout.readline())
        end = asyncio.ensure_future(self.wait())
        try:
            await asyncio.wait({line, end}, return_when="FIRST_COMPLETED")
            if not line.done():
                await asyncio.wait({line}, timeout=_REST_S)
            return self.without_secrets(await line) if line.done() else b""
        finally:
            line.cancel()
            end.cancel()

    async def why(self, *, lines: int = 1) -> str:
        """Return how it ended, with the last lines of its errors."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), _LAST_LINES_S)
        if self._readers:  # a grandchild may hold the pipe open
            await asyncio.wait(self._readers, timeout=_LAST_LINES_S)
        code = self.process.returncode
        ended = "closed its output" if code is None else f"ended with exit code {code}"
        if code is not None and code < 0:
            ended = f"was ended by signal {-code}"
        return f"{ended}{self.tail.told(lines=lines)}"

    async def stop(self) -> None:
        """End the whole group: politely, then not."""
        _end(self.process)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), _GRACE_S)
        _end(self.process, hard=True)  # what is left of the group, too
        with suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), _GRACE_S)
        if self._readers:  # what it wrote last is shown as well
            await asyncio.wait(self._readers, timeout=_REST_S)
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        self._transport.close()  # who left the group may hold the other ends


async def start(
    argv: Sequence[str],
    *,
    key: str,
    cwd: Path,
    environment: Mapping[str, str],
    talks: bool,
    remedy: str = _ITEMS,
    secrets: Sequence[str] = (),
    show: Callable[[str], None] | None = None,
) -> Child:
    """Start a program, without a shell.

    Args:
        key: The key of ``[system]`` that names it, for messages.
        remedy: What to do where it cannot be started.
        secrets: What it was given and may not show: cut out of all that it writes.
        show: Gets each line that it prints, where it does not talk.

    Raises:
        SystemStartError: there is no such program, or it may not be run.
    """
    hide_memory()  # it holds keys that this process is not given
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        transport, streams = await asyncio.get_running_loop().subprocess_exec(
            _Streams,
            *argv,
            cwd=cwd,
            env=dict(environment),
            stdin=pipe if talks else null,
            stdout=pipe,
            stderr=pipe if talks else asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SystemStartError(
            f"[system] {key}: {argv[0]!r} cannot be started: {reason}",
            remedy=remedy,
        ) from error
    return Child(transport, streams, talks=talks, secrets=secrets, show=show)


def _end(process: asyncio.subprocess.Process, *, hard: bool = False) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
        elif hard:  # Windows has no groups: what it started itself lives on
            process.kill()
        else:
            process.terminate()
