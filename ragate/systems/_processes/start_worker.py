"""Starting a worker: the project's interpreter runs our file, which connects to a socket of ours.

A socket by its path, in a folder that is nobody else's, reaches a worker through whatever starts it
(``uv run``, ``conda run``): inherited descriptors would be closed on the way by some of them.
"""

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ragate.worker
from ragate.errors import SystemStartError
from ragate.systems._processes.process import LINE_BYTES, Child, start
from ragate.systems._processes.worker import TOLD_LINES, Worker

PROGRAM = Path(ragate.worker.__file__).with_name("__main__.py")
_LONGEST_FOLDER = 70  # a socket's path may have 104 bytes on one system, 108 on another
_REMEDY = (
    "interpreter is the Python of your RAG's environment and its options, each an item: "
    '[".venv/bin/python"] or ["uv", "run", "python"]'
)


@dataclass(frozen=True)
class WorkerPlan:
    """How a worker is started.

    Attributes:
        interpreter: Program and arguments; the worker's own file and socket follow them.
        secrets: What it is given and may not show.
        task: What it opens, as ``open`` of `ragate.worker.serve`.
        show: Gets each line that the project's code prints.
    """

    interpreter: Sequence[str]
    root: Path
    environment: Mapping[str, str] = field(repr=False)
    secrets: Sequence[str] = field(repr=False)
    task: Mapping[str, Any]
    start_timeout_s: float
    show: Callable[[str], None]


async def start_worker(plan: WorkerPlan) -> Worker:
    """Start a process and wait until it is connected.

    Raises:
        SystemStartError: there is no such program, it ended, or it did not connect in time; or
            this machine has no room for a socket.
    """
    if not hasattr(asyncio, "start_unix_server"):
        raise SystemStartError(
            "[system] interpreter: workers need Unix sockets, which are not there",
            remedy="run the RAG as a service (http) or as a program (command)",
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
                cwd=plan.root,
                environment=plan.environment,
                talks=False,
                remedy=_REMEDY,
                secrets=plan.secrets,
                show=plan.show,
            )
            reader, writer = await _connection(connected, child, plan)
        finally:
            server.close()  # what is connected stays so
    return Worker(child, reader, writer)


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
