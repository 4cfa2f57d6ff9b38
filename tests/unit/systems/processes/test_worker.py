"""A worker and its socket: what holds the other end when it is closed."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

from ragate.systems._process import start
from ragate.systems._worker import Worker, WorkerEndedError


def test_what_is_left_of_a_worker_and_never_reads_holds_up_no_close(tmp_path: Path):
    ours, others = socket.socketpair()

    async def closed() -> int:
        """Return how many bytes were still sent to who holds the other end."""
        argv = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
        child = await start(argv, key="x", cwd=tmp_path, environment=os.environ, talks=False)
        reader, writer = await asyncio.open_connection(sock=ours)
        worker = Worker(child, reader, writer, 60.0)
        asking = asyncio.create_task(worker.ask({"ask": "q" * 8_000_000}))
        await asyncio.sleep(0.05)
        await worker.close()
        with pytest.raises(WorkerEndedError, match="was ended"):
            await asyncio.wait_for(asking, 60.0)
        return await asyncio.to_thread(_read_all, others)

    with others:
        others.settimeout(60.0)
        assert 0 < asyncio.run(closed()) < 8_000_000


def _read_all(end: socket.socket) -> int:
    return sum(len(part) for part in iter(lambda: end.recv(1 << 20), b""))
