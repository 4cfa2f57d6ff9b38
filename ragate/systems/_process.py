"""A process of the project: started in a group of its own, so that all of it ends with the run."""

import asyncio
import errno
import os
import re
import shutil
import signal
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from ragate.errors import LeftBehindError, SystemStartError
from ragate.guards.escape import one_line
from ragate.guards.redact import Redactor
from ragate.guards.seal import before_foreign_code, refuse_changes, spoil
from ragate.process import hide_memory
from ragate.protocols import Resources
from ragate.systems import _reaper
from ragate.systems._variables import passed_secrets, program_environment
from ragate.worker.raised import is_own

T = TypeVar("T")

MOST_SHOWN = 2000
_KEPT_LINES = 200
_LINE_KEPT = 2000
LINE_BYTES = 16 * 1024 * 1024
# What Python's faulthandler writes of a crash; the last call comes first.
_CRASH = "Fatal Python error: "
_CRASHES = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}
_CALL = re.compile(r'^\s*File "(.+)", line (\d+) in (.+)$', re.MULTILINE)
_ITEMS = 'the first item is the program, each argument is an item of its own: ["python", "rag.py"]'
_GRACE_S = 2.0
_REAPED_S = _reaper.GRACE_S + _reaper.MOST_S + 1.0
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
    """A running process. With `talks`, its standard input and output are pipes.

    Args:
        folder: Where it was started.
        reaped: Where the reaper between us and it tells how it ended; None without a reaper.
    """

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        streams: _Streams,
        *,
        talks: bool,
        folder: Path,
        secrets: Sequence[str] = (),
        show: Callable[[str], None] | None = None,
        reaped: int | None = None,
    ) -> None:
        self._folder = folder
        self._reaped = reaped
        if reaped is not None:
            os.set_blocking(reaped, False)
        self._word: str | None = None
        # What it wrote, without the secrets that it was given.
        self.without_secrets = Redactor(secrets).cut
        loop = asyncio.get_running_loop()
        self.process = asyncio.subprocess.Process(transport, streams, loop)
        self.tail = Tail(show, clean=self.without_secrets)
        self._transport = transport
        self._exited = streams.exited
        told = self.process.stderr if talks else self.process.stdout
        assert told is not None
        self._reader = asyncio.create_task(self.tail.read(told))

    @property
    def ended(self) -> bool:
        return self.process.returncode is not None

    @property
    def code(self) -> int | None:
        """How it ended: its exit code, less than 0 for a signal; None while it runs."""
        if self._reaped is None or not self.ended:
            return self.process.returncode
        word = self._told()
        return int(word) if word.lstrip("-").isdigit() else self.process.returncode

    def _told(self) -> str:
        """Return what the reaper said of the end, "" where it was killed before."""
        if self._word is None and self._reaped is not None:
            word = b""
            with suppress(BlockingIOError):  # who was forked from it may hold the other end
                word = os.read(self._reaped, 100)
            os.close(self._reaped)
            self._word = word.decode("ascii", "replace").partition("\n")[0]
        return self._word or ""

    async def wait(self) -> None:
        """Wait until it has ended, whatever else holds its pipes open."""
        await self._exited.wait()

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
        # A grandchild may hold the pipe open.
        await asyncio.wait({self._reader}, timeout=_LAST_LINES_S)
        code = self.code
        number = -(code or 0)
        if number in _CRASHES and (where := self.tail.crashed(self._folder)):
            return f"was ended by signal {number} ({where})"
        if code is not None and (word := self._told()).startswith("!"):
            return f"cannot be started: {os.strerror(int(word[1:]))}"
        ended = "closed its output" if code is None else f"ended with exit code {code}"
        if code is not None and code < 0:
            ended = f"was ended by signal {-code}"
        return f"{ended}{self.tail.told(lines=lines)}"

    async def stop(self) -> None:
        """End the whole group: politely, then not. Whoever cancels that is heard afterwards.

        Raises:
            LeftBehindError: there is a reaper, and it could not end all that was started; or what
                this process consists of has changed.
        """
        cancels = _cancels()
        _end(self.process)
        await self._over(_GRACE_S if self._reaped is None else _REAPED_S)
        _end(self.process, hard=True)  # what is left of the group, too
        await self._over(_GRACE_S)
        try:
            # What it wrote last is shown as well.
            await asyncio.wait({self._reader}, timeout=_REST_S)
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        finally:
            self._transport.close()  # who left the group may hold the other ends
        # The reaper lets nothing end it so, once it may have started anything.
        at_once = self.process.returncode == -signal.SIGTERM
        if self._reaped is not None and not self._told() and not at_once:
            spoil("what ends all that it started was killed, or could not")
            raise LeftBehindError(
                "[system]: what the code under test started may still run: the process that ends "
                "it was killed, or could not",
                remedy="code under test may end no process that it did not start",
            )
        refuse_changes()
        if _cancels() > cancels:
            raise asyncio.CancelledError

    async def _over(self, seconds: float) -> None:
        """Wait for its end, at most so long, also where that is cancelled meanwhile."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self._exited.is_set() and loop.time() < until:
            with suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(self.wait(), until - loop.time())


class Programs:
    """Starts programs of the project as a system names them, in its folder, without its keys.

    Args:
        passed: ``pass_env``: variables with secrets that they get all the same.

    Attributes:
        secrets: The values of these; what they write is without them.

    Raises:
        ConfigError: `passed` names the judge's key.
    """

    def __init__(self, resources: Resources, passed: Sequence[str]) -> None:
        self._folder = resources.root
        self._environment = program_environment(resources, passed)
        self.secrets = passed_secrets(resources, passed)

    async def start(self, argv: Sequence[str], *, key: str, talks: bool = False) -> Child:
        """Start one; arguments and errors as of `start`."""
        return await start(
            argv,
            key=key,
            cwd=self._folder,
            environment=self._environment,
            talks=talks,
            secrets=self.secrets,
        )


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
    """Start a program, without a shell; nothing that it starts outlives it (on Linux).

    Args:
        key: The key of ``[system]`` that names it, for messages.
        remedy: What to do where it cannot be started.
        secrets: What it was given and may not show: cut out of all that it writes.
        show: Gets each line that it prints, where it does not talk.

    Raises:
        SystemStartError: there is no such program, or it may not be run.
    """
    _shut_off()
    cancels = _cancels()
    read, write = os.pipe() if sys.platform.startswith("linux") else (None, None)
    try:
        _refuse_missing(argv[0], cwd, environment)
        transport, streams = await _finished(_spawn(argv, cwd, environment, talks, write))
    except BaseException as error:
        if read is not None:
            os.close(read)
        if not isinstance(error, OSError | ValueError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise SystemStartError(
            f"[system] {key}: {argv[0]!r} cannot be started: {reason}", remedy=remedy
        ) from error
    finally:
        if write is not None:
            os.close(write)
    child = Child(
        transport, streams, talks=talks, folder=cwd, secrets=secrets, show=show, reaped=read
    )
    if _cancels() > cancels:
        await child.stop()
        raise asyncio.CancelledError
    return child


async def _spawn(
    argv: Sequence[str], cwd: Path, environment: Mapping[str, str], talks: bool, told: int | None
) -> tuple[asyncio.SubprocessTransport, _Streams]:
    """Start it, behind a reaper that writes to `told`, where that is given."""
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    reaper = () if told is None else (sys.executable, "-I", "-S", _reaper.__file__, str(told))
    return await asyncio.get_running_loop().subprocess_exec(
        _Streams,
        *reaper,
        *argv,
        cwd=cwd,
        env=dict(environment),
        stdin=pipe if talks else null,
        stdout=pipe,
        stderr=pipe if talks else asyncio.subprocess.STDOUT,
        start_new_session=True,
        pass_fds=() if told is None else (told,),
    )


async def _finished(starting: Coroutine[Any, Any, T]) -> T:
    """Return what comes of it, also where that is cancelled: half a process is nobody's."""
    task = asyncio.ensure_future(starting)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task})
    return task.result()


def _cancels() -> int:
    """Return how often this task was cancelled."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def _shut_off() -> None:
    """Keep what is started out of this process: of its memory, which holds keys, and its files."""
    hide_memory()
    before_foreign_code()


def _refuse_missing(program: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Raise what starting it would: a reaper that stands between tells it only when it has ended.

    Raises:
        OSError: there is no such program, or it may not be run.
    """
    if os.sep not in program:
        found = shutil.which(program, path=environment.get("PATH", os.defpath))
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return
    path = folder / program
    path.stat()
    if path.is_dir() or not os.access(path, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _end(process: asyncio.subprocess.Process, *, hard: bool = False) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
        elif hard:  # Windows has no groups: what it started itself lives on
            process.kill()
        else:
            process.terminate()


# The last lines of what a process wrote, for messages.


# What Uvicorn writes below the exception that ended it.
_SAYS_NOTHING = "Application startup failed. Exiting."
_RAISED = re.compile(r"(?:\w+\.)*\w+(?:Error|Exception)\b")


class Tail:
    """The last lines of what a process wrote.

    Args:
        show: Gets each line as it comes, up to a number that nobody would read.
        clean: Takes out of a line what nobody may see.
    """

    def __init__(
        self,
        show: Callable[[str], None] | None = None,
        *,
        clean: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self._clean = clean
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
        kept = [line.decode("utf-8", "replace") for line in self._lines]
        if kept[-1].strip().endswith(_SAYS_NOTHING):
            raised = [number for number, line in enumerate(kept) if _RAISED.match(line)]
            kept = kept[: raised[-1] + 1] if raised else kept[:-1] or kept
        last = kept[-lines:]
        return f"; it last wrote: {' | '.join(one_line(line, limit) for line in last)}"

    def crashed(self, folder: Path) -> str:
        """Return the last call of the folder's own code in a crash; "" where it wrote of none."""
        text = b"\n".join(self._lines).decode("utf-8", "replace")
        _, crash, calls = text.rpartition(_CRASH)
        for path, line, name in _CALL.findall(calls) if crash else ():
            if is_own(Path(path), folder):
                return one_line(f"{Path(path).relative_to(folder)}:{line}, in {name}", 200)
        return ""

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        kept = self._clean(line)[-_LINE_KEPT:]
        self._lines.append(kept)
        if self._show is None or self._shown > MOST_SHOWN:
            return
        self._shown += 1
        self._show(
            kept.decode("utf-8", "replace").rstrip()
            if self._shown <= MOST_SHOWN
            else f"… it has printed {MOST_SHOWN} lines, and what follows is not shown"
        )
