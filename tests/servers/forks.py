"""Commands without Python's start: a process that has imported ragate forks for each of them.

    with start("ragate", ["check"], folder=project, variables=CLEAN) as process:
        ...

A command so started has a process, a session, streams, variables and an exit code of its own, as
one that a shell starts; only the interpreter's start and the imports, most of what a short command
costs, are paid once a test process. What tests the start itself, or what is imported, starts an
interpreter.

The client and the fork server share one socket, on which the client hands over the descriptors of
each command: a connection of its own, and the three streams. On the connection come the process's
number and, when it has ended, its code.
"""

from __future__ import annotations

import array
import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import random
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn, Self

NUMBER = struct.Struct("!q")
# What the interpreter itself reads at its start, and what its streams are encoded by; one of these
# can be followed later.
_LATER = "PYTHONDONTWRITEBYTECODE"
_AT_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "LD_", "COVERAGE_")
_KEPT = ("PATH", "HOME")
_PROGRAMS = {
    "ragate": "ragate.__main__",
    "ragate.github": "ragate.github.__main__",
    "pytest": "pytest",
}
# Imported by some commands only, inside of functions.
_LATE = (
    *("aiohttp", "anyio._backends._asyncio", "anyio.streams.tls", "encodings.cp437"),
    *("encodings.utf_8_sig", "httpcore2", "numpy.ma", "numpy.polynomial"),
)
_TEMPLATES = (
    *("html/page.html.j2", "html/sample.html.j2", "html/charts.svg.j2"),
    "templates/comment.md.j2",
)


CAN_FORK = hasattr(os, "pidfd_open")


class ForkedProcess:
    """A running command, as far as `subprocess.Popen` is needed.

    Attributes:
        stdout: The read end of what it prints; None where the caller gave a descriptor.
    """

    def __init__(self, connection: socket.socket, stdout: IO[bytes] | None) -> None:
        self.stdout = stdout
        self.returncode: int | None = None
        self._connection = connection
        self.pid = self._read()

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code, negative where a signal ended it.

        Raises:
            TimeoutError: it still runs.
        """
        if self.returncode is None:
            self._connection.settimeout(timeout)
            self.returncode = self._read()
        return self.returncode

    def poll(self) -> int | None:
        with suppress(TimeoutError, BlockingIOError):
            return self.wait(0)
        return None

    def _read(self) -> int:
        received = self._connection.recv(NUMBER.size)
        if len(received) < NUMBER.size:
            raise RuntimeError("the fork server has ended")
        return int(NUMBER.unpack(received)[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self.stdout is not None:
            self.stdout.close()
        if self.returncode is None:
            self.wait()
        self._connection.close()


def start(
    program: str,
    arguments: Sequence[str] = (),
    *,
    folder: Path | None,
    variables: Mapping[str, str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> ForkedProcess:
    """Start a command of ours in a session of its own.

    Args:
        program: One of `_PROGRAMS`.
        variables: Its whole environment. Each set of those that the interpreter reads has a fork
            server of its own.
        stdin: A descriptor; nothing to read if None.
        stdout: A descriptor; a pipe that is read by `ForkedProcess.stdout` if None.
        stderr: A descriptor; the same as stdout if None.
    """
    nothing = os.open(os.devnull, os.O_RDONLY)
    read, write = os.pipe() if stdout is None else (-1, stdout)
    mine, theirs = socket.socketpair()
    try:
        streams = (
            nothing if stdin is None else stdin,
            write,
            write if stderr is None else stderr,
        )
        at_start = {
            name: at
            for name, at in variables.items()
            if name.startswith(_AT_START) and name != _LATER
        }
        control = _control(tuple(sorted(at_start.items())))
        socket.send_fds(control, [b"+"], [theirs.fileno(), *streams])
    finally:
        theirs.close()
        os.close(nothing)
        if stdout is None:
            os.close(write)
    process = ForkedProcess(mine, os.fdopen(read, "rb") if stdout is None else None)
    wanted = {
        "module": _PROGRAMS[program],
        "argv": [program, *arguments],
        "folder": None if folder is None else str(folder),
        "variables": dict(variables),
    }
    content = json.dumps(wanted).encode("utf-8", "surrogateescape")
    mine.sendall(NUMBER.pack(len(content)) + content)
    return process


def run(
    program: str,
    arguments: Sequence[str],
    *,
    folder: Path,
    variables: Mapping[str, str],
    timeout: float,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, and until nobody holds its streams any more.

    Raises:
        subprocess.TimeoutExpired: that took too long; what is left of it has been killed.
    """
    out, err = os.pipe(), os.pipe()
    with start(
        program, arguments, folder=folder, variables=variables, stdout=out[1], stderr=err[1]
    ) as process:
        os.close(out[1])
        os.close(err[1])
        try:
            texts = _read_both(out[0], err[0], timeout)
            code = process.wait(timeout)
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired([program, *arguments], timeout) from None
        finally:
            os.close(out[0])
            os.close(err[0])
    return subprocess.CompletedProcess([program, *arguments], code, *texts)


def _read_both(out: int, err: int, timeout: float) -> tuple[str, str]:
    parts: dict[int, list[bytes]] = {out: [], err: []}
    deadline = time.monotonic() + timeout
    with selectors.DefaultSelector() as selector:
        for descriptor in parts:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                part = os.read(key.fd, 1 << 16)
                if part:
                    parts[key.fd].append(part)
                else:
                    selector.unregister(key.fd)
    text = [b"".join(parts[descriptor]).decode().replace("\r\n", "\n") for descriptor in (out, err)]
    return text[0], text[1]


@functools.cache
def _control(at_start: tuple[tuple[str, str], ...]) -> socket.socket:
    """Return the socket of a fork server, which ends with this process."""
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={
                **{name: os.environ[name] for name in _KEPT if name in os.environ},
                **dict(at_start),
            },
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    atexit.register(process.wait)
    atexit.register(mine.close)
    return mine


def _serve(control: socket.socket) -> dict[str, Any]:
    """Fork for each command until the client is gone; return in each fork what it is to do."""
    selector = selectors.DefaultSelector()
    selector.register(control, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is not control:
                _tell_end(selector, key)
                continue
            descriptors = _descriptors(control)
            if not descriptors:
                os._exit(0)
            pid = os.fork()
            if pid == 0:
                random.seed()  # a fresh interpreter has dice of its own
                selector.close()
                control.close()
                return _become(*descriptors)
            connection = socket.socket(fileno=descriptors[0])
            for descriptor in descriptors[1:]:
                os.close(descriptor)
            ended = os.pidfd_open(pid)
            selector.register(ended, selectors.EVENT_READ, (pid, connection))


def _descriptors(control: socket.socket) -> list[int]:
    received, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(4 * 4))
    numbers = array.array("i")
    for level, kind, data in ancillary if received else ():
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(data)
    return list(numbers)


def _tell_end(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    pid, connection = key.data
    selector.unregister(key.fileobj)
    os.close(key.fd)
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):
        connection.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))
    connection.close()


def _become(connection: int, *streams: int) -> dict[str, Any]:
    """Make this fork the process that the client asked for; return what it is to run."""
    os.setsid()
    client = socket.socket(fileno=connection)
    client.sendall(NUMBER.pack(os.getpid()))  # not before it leads a group that can be killed
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    for descriptor in {*streams} - {0, 1, 2}:
        os.close(descriptor)
    with client:
        (size,) = NUMBER.unpack(_whole(client, NUMBER.size))
        wanted: dict[str, Any] = json.loads(_whole(client, size).decode("utf-8", "surrogateescape"))
    os.environ.clear()
    os.environ.update(wanted["variables"])
    sys.dont_write_bytecode = bool(os.environ.get(_LATER))
    time.tzset()
    tempfile.tempdir = None
    sys.argv[:] = wanted["argv"]
    if wanted["folder"] is not None:
        os.chdir(wanted["folder"])
    return wanted


def _whole(client: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        content += client.recv(size - len(content))
    return bytes(content)


def _import_all() -> None:
    # As `limit_blas_threads` has it in a process that starts with the command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # what is imported stays: looking for garbage in it was a fifth of the time
    package = importlib.import_module("ragate")
    names = [module.name for module in pkgutil.walk_packages(package.__path__, "ragate.")]
    for name in (*names, *_LATE):
        importlib.import_module(name)
    _prepare()
    gc.freeze()  # a collection in a fork would copy every page that it looks at
    gc.enable()


def _prepare() -> None:
    """Make what each process makes once: templates, authorities, phrases, the dice of a decision.

    GitHub is asked again after hundredths of a second: how long the waits really are is held by
    tests/github, in virtual time.
    """
    from ragate.github.commits import change
    from ragate.github.rest import api
    from ragate.guards.authorities import authorities
    from ragate.metrics.refusal import Refusals, RefusalSettings
    from ragate.renderers._templates import template

    api.RETRY = replace(api.RETRY, base_s=0.02)
    change.WAITS_S = (0.02, 0.03, 0.05)
    for name in _TEMPLATES:
        template(name)
    authorities()
    Refusals(RefusalSettings())


def main(descriptor: int) -> NoReturn:
    """Serve, and in each fork be the command."""
    _import_all()
    wanted = _serve(socket.socket(fileno=descriptor))
    try:
        code = importlib.import_module(wanted["module"]).main()
    except SystemExit as error:
        code = error.code
    _end(code if isinstance(code, int) else 1)


def _end(code: int) -> NoReturn:
    """End as the interpreter does, but for freeing all that was imported, which takes longest."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as at the end of main
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]))
