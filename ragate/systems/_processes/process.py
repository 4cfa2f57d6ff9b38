"""A process of the project: started in a group of its own, so that all of it ends with the run."""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ragate.errors import SystemStartError
from ragate.process.secrecy import hide_memory
from ragate.support.escape import one_line

LINE_BYTES = 16 * 1024 * 1024
MOST_SHOWN = 2000
_KEPT_LINES = 20
_LINE_KEPT = 2000
_ITEMS = 'the first item is the program, each argument is an item of its own: ["python", "rag.py"]'
_GRACE_S = 2.0
_REST_S = 0.2


class Tail:
    """The last lines of what a process wrote.

    Args:
        show: Gets each line as it comes, up to a number that nobody would read.
    """

    def __init__(self, show: Callable[[str], None] | None = None) -> None:
        self._lines: deque[bytes] = deque(maxlen=_KEPT_LINES)
        self._show = show
        self._shown = 0

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Read `stream` to its end, so that its writer never blocks."""
        rest = b""
        while part := await stream.read(65_536):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                self._take(line)
            rest = rest[-_LINE_KEPT:]
        self._take(rest)

    def told(self, limit: int = 300, *, lines: int = 1) -> str:
        """Return the last line, or some, as ``; it last wrote: …``, or nothing."""
        if not self._lines:
            return ""
        last = [line.decode("utf-8", "replace") for line in list(self._lines)[-lines:]]
        return f"; it last wrote: {' | '.join(one_line(line, limit) for line in last)}"

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        kept = line[-_LINE_KEPT:]
        self._lines.append(kept)
        if self._show is None or self._shown > MOST_SHOWN:
            return
        self._shown += 1
        self._show(
            kept.decode("utf-8", "replace").rstrip()
            if self._shown <= MOST_SHOWN
            else f"… it has printed {MOST_SHOWN} lines, and what follows is not shown"
        )


class Child:
    """A running process. With `talks`, its standard input and output are pipes."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        *,
        talks: bool,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self.process = process
        self.tail = Tail(show)
        streams = [process.stderr] if talks else [process.stdout]
        self._readers = [
            asyncio.create_task(self.tail.read(stream)) for stream in streams if stream is not None
        ]

    @property
    def ended(self) -> bool:
        return self.process.returncode is not None

    async def why(self, *, lines: int = 1) -> str:
        """Return how it ended, with the last lines of its errors."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), 1.0)
        with suppress(TimeoutError):  # a grandchild may hold the pipe open
            await asyncio.wait_for(asyncio.gather(*map(asyncio.shield, self._readers)), 1.0)
        code = self.process.returncode
        ended = "closed its output" if code is None else f"ended with exit code {code}"
        if code is not None and code < 0:
            ended = f"was ended by signal {-code}"
        return f"{ended}{self.tail.told(lines=lines)}"

    async def stop(self) -> None:
        """End the whole group: politely, then not."""
        _end(self.process)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _GRACE_S)
        _end(self.process, hard=True)  # what is left of the group, too
        await self.process.wait()
        if self._readers:  # what it wrote last is shown as well
            await asyncio.wait(self._readers, timeout=_REST_S)
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)


async def start(
    argv: Sequence[str],
    *,
    key: str,
    cwd: Path,
    environment: Mapping[str, str],
    talks: bool,
    remedy: str = _ITEMS,
    show: Callable[[str], None] | None = None,
) -> Child:
    """Start a program, without a shell.

    Args:
        key: The key of ``[system]`` that names it, for messages.
        remedy: What to do where it cannot be started.
        show: Gets each line that it prints, where it does not talk.

    Raises:
        SystemStartError: there is no such program, or it may not be run.
    """
    hide_memory()  # it holds keys that this process is not given
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=dict(environment),
            stdin=pipe if talks else null,
            stdout=pipe,
            stderr=pipe if talks else asyncio.subprocess.STDOUT,
            limit=LINE_BYTES,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SystemStartError(
            f"[system] {key}: {argv[0]!r} cannot be started: {reason}",
            remedy=remedy,
        ) from error
    return Child(process, talks=talks, show=show)


def _end(process: asyncio.subprocess.Process, *, hard: bool = False) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
        elif hard:  # Windows has no groups: what it started itself lives on
            process.kill()
        else:
            process.terminate()
