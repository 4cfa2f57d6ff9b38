"""Workers on this very machine, for the length of one run: ``check --local-workers N``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from ragate.answers.ready_system import OpenedSystem, OpensSystem, SystemRequest
from ragate.contrib.workers.queue import queue_url
from ragate.contrib.workers.submit import opens_on_workers
from ragate.errors import UsageError
from ragate.resources.operations import Operations
from ragate.resources.resources import Opened

MOST = 64
_IDLE_S = 60  # without a question: the run that started it is gone
_END_S = 30.0


def opens(operations: Operations, given: str) -> OpensSystem | None:
    """Return what starts so many workers and lets them ask; None where none are wanted.

    Raises:
        RagateError: it is no number of workers, or as `queue_url`.
    """
    if not given:
        return None
    if not given.isascii() or not given.isdigit() or not 1 <= int(given) <= MOST:
        raise UsageError(f"--local-workers {given!r}: it must be a number from 1 to {MOST}")
    return partial(_open, queue_url(operations, "--local-workers"), int(given))


@asynccontextmanager
async def _open(
    url: str, count: int, request: SystemRequest, opened: Opened
) -> AsyncIterator[OpenedSystem]:
    async with _workers(count, request), opens_on_workers(url)(request, opened) as system:
        yield system


@asynccontextmanager
async def _workers(count: int, request: SystemRequest) -> AsyncIterator[None]:
    """Start workers in the checkout of the run; they end with it."""
    command = [sys.executable, "-m", "ragate", "worker", "--idle-s", str(_IDLE_S)]
    command += ["--config", str(request.config.path)]
    started: list[asyncio.subprocess.Process] = []
    try:
        while len(started) < count:
            worker = await asyncio.create_subprocess_exec(
                *command,
                env=dict(request.operations.environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
            )
            started.append(worker)
        yield
    finally:
        await asyncio.gather(*map(_end, started))


async def _end(worker: asyncio.subprocess.Process) -> None:
    """End a worker, in order where it can be."""
    if worker.returncode is None:
        worker.terminate()
    try:
        await asyncio.wait_for(worker.wait(), _END_S)
    except TimeoutError:
        worker.kill()
        await worker.wait()
