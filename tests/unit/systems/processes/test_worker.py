"""A worker and its socket: what holds the other end when it is closed."""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.answers.sample_time import SampleTimeError, sample_time
from ragate.clients.provider_clock import waiting_for_provider
from ragate.systems._process import Child, start
from ragate.systems._talk import MAX_FAILURES, EndedError
from ragate.systems._worker import Worker, WorkerPlan, Workers, start_worker
from tests.unit.clients import virtual_time


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
        with pytest.raises(EndedError, match="was ended"):
            await asyncio.wait_for(asking, 60.0)
        return await asyncio.to_thread(_read_all, others)

    with others:
        others.settimeout(60.0)
        assert 0 < asyncio.run(closed()) < 8_000_000


class Asleep(Child):
    """A process that does nothing, and is none: it needs no clock."""

    def __init__(self) -> None:
        return

    async def wait(self) -> None:
        await asyncio.Event().wait()

    async def stop(self) -> None:
        return


def test_who_asks_last_before_a_silent_worker_is_given_up_is_not_left_alone_in_it():
    async def asked(ours: socket.socket) -> list[BaseException | dict[str, Any]]:
        worker = Worker(Asleep(), *await asyncio.open_connection(sock=ours), 0.4)
        asking = [asyncio.create_task(worker.ask({})) for _ in range(2)]
        await asyncio.sleep(0.45)  # from 0.1 s on they ask for a sign of life
        try:
            async with asyncio.timeout(10.0):
                return await asyncio.gather(*asking, worker.ask({}), return_exceptions=True)
        finally:
            await worker.close()

    ours, others = socket.socketpair()
    with others:
        replies = virtual_time.run(asked(ours))

    assert [str(reply) for reply in replies] == ["replied to nothing for 0.4 s"] * 3


class Dying:
    """A worker that dies, or one that has to wait for a provider."""

    def __init__(self, dies: bool) -> None:
        self._dies = dies

    async def ask(self, _request: object) -> dict[str, Any]:
        if self._dies:
            raise EndedError("died")
        with waiting_for_provider():
            await asyncio.sleep(60.0)
        return {}


def test_a_provider_that_hangs_is_no_failure_of_the_workers():
    turns = itertools.cycle([True, False])

    async def opened() -> Any:
        return Dying(next(turns))

    async def outcome(workers: Workers) -> str:
        try:
            async with sample_time(0.05):
                await workers.ask({})
        except SampleTimeError as error:
            return error.kind
        return ""

    async def outcomes() -> list[str]:
        workers = Workers(opened)
        return [await outcome(workers) for _ in range(MAX_FAILURES + 1)]

    assert virtual_time.run(outcomes()) == ["provider"] * (MAX_FAILURES + 1)


# What code under test could do that knows where its worker was told to connect to.
TWO_LINKS = """
import json, os, socket, sys, time
first, second = (socket.socket(socket.AF_UNIX) for _ in range(2))
open("begun", "w").close()
while not os.path.exists("away"):
    time.sleep(0.01)
for link in (first, second):
    link.connect(sys.argv[-1])
    link.settimeout(60)
open("connected", "w").close()
request = json.loads(first.makefile().readline())
try:
    left = "closed" if second.recv(1) == b"" else "served"
except TimeoutError:
    left = "open"
first.sendall(json.dumps({"id": request["id"], "value": left}).encode() + b"\\n")
"""


def test_only_the_first_that_connects_is_the_worker(tmp_path: Path):
    (tmp_path / "launch.py").write_text(TWO_LINKS)
    plan = WorkerPlan(
        interpreter=[sys.executable, "launch.py"],
        folder=tmp_path,
        environment=os.environ,
        secrets=(),
        start_timeout_s=60.0,
        show=print,
        patience_s=60.0,
    )

    async def look_away() -> None:
        """Do nothing else while both connect."""
        while not (tmp_path / "begun").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        (tmp_path / "away").touch()
        while not (tmp_path / "connected").exists():
            time.sleep(0.01)  # noqa: ASYNC251

    async def asked() -> dict[str, Any]:
        away = asyncio.create_task(look_away())
        worker = await start_worker(plan)
        await away
        try:
            return await worker.ask({"ask": "q"})
        finally:
            await worker.close()

    assert asyncio.run(asked())["value"] == "closed"


def _read_all(end: socket.socket) -> int:
    return sum(len(part) for part in iter(lambda: end.recv(1 << 20), b""))
