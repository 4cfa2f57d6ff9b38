"""What code in a worker starts is gone when its system is closed, or the run says otherwise."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from ragate.errors import SystemStartError
from ragate.systems import _process
from tests.unit.systems.functions import one

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts orphans")

SLEEP = "import pathlib, time; time.sleep(30); pathlib.Path('late').touch(); time.sleep(60)"
DETACHED = f"""
import ctypes, os, pathlib, signal, subprocess, sys, time

def note():
    with open("left", "a") as file:
        file.write(f"{{os.getpid()}}\\n")

def daemon():
    note()
    os.setsid()
    if os.fork():
        os._exit(0)
    note()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    exec({SLEEP!r})

def session():
    left = subprocess.Popen(
        [sys.executable, "-c", {SLEEP!r}], start_new_session=True, close_fds=False)
    open("left", "a").write(f"{{left.pid}}\\n")

def adopting():
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    if os.fork() == 0:
        daemon()

def dying():
    session()
    os._exit(0)

def forked():
    if os.fork() == 0:
        daemon()
"""


def answer(root: Path, body: str):
    code = f"{DETACHED}\ndef answer(query):\n    {body}\n    time.sleep(0.5)\n    return 'x'"
    return one(root, code, live=False)


def is_there(pid: str) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("body", ["forked()", "session()", "adopting()", "dying()"])
def test_whatever_left_its_session_is_gone_when_the_system_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
):
    monkeypatch.chdir(tmp_path)

    answer(tmp_path, body)

    left = (tmp_path / "left").read_text().split()
    assert left
    assert not [pid for pid in left if is_there(pid)]
    assert not (tmp_path / "late").exists()


@pytest.mark.parametrize("number", ["SIGKILL", "SIGSTOP"])
def test_who_ends_what_would_end_it_gets_no_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_process, "_REAPED_S", 1.0)

    with pytest.raises(SystemStartError, match="may still run"):
        answer(tmp_path, f"os.kill(os.getppid(), signal.{number})")


def test_a_reaper_that_ends_before_it_started_anything_leaves_nothing(tmp_path: Path):
    async def stopped() -> None:
        child = await _process.start(
            ["sleep", "60"],
            key="interpreter",
            cwd=tmp_path,
            environment={},
            talks=False,
            reaped=True,
        )
        await child.stop()

    asyncio.run(stopped())


def test_a_worker_ends_though_the_code_starts_process_after_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    started = time.monotonic()

    answer(tmp_path, "[forked() for _ in range(20)]")

    assert time.monotonic() - started < 120
    left = (tmp_path / "left").read_text().split()
    assert not [pid for pid in left if is_there(pid)]
