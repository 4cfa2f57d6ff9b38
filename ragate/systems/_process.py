"""A process of the project: started in a group of its own, so that all of it ends with the run."""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ragate.errors import SystemStartError
from ragate.support.escape import one_line

LINE_BYTES = 16 * 1024 * 1024
_KEPT_LINES = 20
_GRACE_S = 2.0


class Tail:
    """The last lines of what a process wrote."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque(maxlen=_KEPT_LINES)

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Read `stream` to its end, so that its writer never blocks."""
        rest = b""
        while part := await stream.read(65_536):
            *lines, rest = (rest + part).split(b"\n")
            self._lines.extend(line[-2000:] for line in lines if line.strip())
            rest = rest[-2000:]
        if rest.strip():
            self._lines.append(rest)

    def told(self, limit: int = 300, *, lines: int = 1) -> str:
        """Return the last line, or some, as ``; it last wrote: …``, or nothing."""
        if not self._lines:
            return ""
        last = [line.decode("utf-8", "replace") for line in list(self._lines)[-lines:]]
        return f"; it last wrote: {' | '.join(one_line(line, limit) for line in last)}"


class Child:
    """A running process. With `talks`, its standard input and output are pipes."""

    def __init__(self, process: asyncio.subprocess.Process, *, talks: bool) -> None:
        self.process = process
        self.tail = Tail()
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
        _signal(self.process.pid, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _GRACE_S)
        _signal(self.process.pid, signal.SIGKILL)  # what is left of the group, too
        await self.process.wait()
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)


async def start(
    argv: Sequence[str], *, key: str, cwd: Path, environment: Mapping[str, str], talks: bool
) -> Child:
    """Start a program, without a shell.

    Args:
        key: The key of ``[system]`` that names it, for messages.

    Raises:
        SystemStartError: there is no such program, or it may not be run.
    """
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
            remedy="the first item is the program, each argument is an item of its own: "
            '["python", "rag.py"]',
        ) from error
    return Child(process, talks=talks)


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def allowed_environment(
    environment: Mapping[str, str], keys: frozenset[str], passed: Sequence[str]
) -> dict[str, str]:
    """Return the variables for a process: all but the names of keys that are not `passed`."""
    return {
        name: value for name, value in environment.items() if name not in keys or name in passed
    }
