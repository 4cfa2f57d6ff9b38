"""Whoever is cancelled while a process starts, works or ends leaves neither process nor pipe."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.systems import _worker
from ragate.systems._process import Child, start
from tests.factories import sample_factory
from tests.unit.systems.commands import program
from tests.unit.systems.processes.test_process import gone
from tests.unit.systems.using import asked, module, resources_of

SLOW = "open('new', 'w').write(str(os.getpid())); os.rename('new', 'pid'); time.sleep(60)"
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _collected_here() -> Iterator[None]:
    """Let what was left open be this test's error, and no later one's."""
    yield
    gc.collect()


def children() -> set[int]:
    """Return the processes that this one has started and not waited for."""
    return {
        int(pid)
        for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text().split()
    }


def started(folder: Path, code: str = STUBBORN) -> asyncio.Task[Child]:
    argv = [sys.executable, "-c", code]
    begun = start(argv, key="start", cwd=folder, environment=os.environ, talks=True)
    return asyncio.create_task(begun)


@pytest.mark.parametrize("use", ["python", "command"])
def test_a_loop_that_ends_all_its_tasks_at_once_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: str
):
    monkeypatch.chdir(tmp_path)
    answer = f"import os, time\ndef answer(query):\n    {SLOW}\n"
    settings = (
        {"target": f"{module(tmp_path, answer)}:answer"}
        if use == "python"
        else {"command": program(tmp_path, SLOW)}
    )
    pid = tmp_path / "pid"

    async def main() -> asyncio.Task[object]:
        running = asked(use, settings, resources_of(tmp_path), [sample_factory()])
        run = asyncio.create_task(running)
        while not (pid.exists() or run.done()):  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.01)
        return run

    assert asyncio.run(main()).cancelled()

    assert gone(int(pid.read_text()))


def test_a_start_that_is_cancelled_once_it_is_connected_leaves_no_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def cancelled(connected: asyncio.Future[object], child: Child, _plan: object) -> None:
        await connected
        await child.stop()
        raise asyncio.CancelledError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_worker, "_connection", cancelled)
    target = f"{module(tmp_path, 'def answer(query): ...')}:answer"
    running = asked("python", {"target": target}, resources_of(tmp_path), [sample_factory()])

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(running)


@pytest.mark.parametrize("turns", range(8))
def test_a_start_that_is_cancelled_leaves_nothing(tmp_path: Path, turns: int):
    async def main() -> None:
        before = children()
        starting = started(tmp_path)
        for _ in range(turns):
            await asyncio.sleep(0)
        if starting.cancel():
            for _ in range(2):  # and again, while it ends what it began
                await asyncio.sleep(0)
                starting.cancel()
        for child in await asyncio.gather(starting, return_exceptions=True):
            if isinstance(child, Child):
                await child.stop()
        assert children() <= before

    asyncio.run(main())


def test_an_end_that_is_cancelled_is_one_all_the_same(tmp_path: Path):
    async def main() -> None:
        before = children()
        child = await started(tmp_path)
        await child.read_line()
        stopping = asyncio.create_task(child.stop())
        for _ in range(3):
            await asyncio.sleep(0.01)
            stopping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopping
        assert child.ended
        assert children() <= before

    asyncio.run(main())
