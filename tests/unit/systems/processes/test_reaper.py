"""What code in a worker starts is gone when its system is closed, or the run says otherwise."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragate.errors import SystemStartError
from ragate.systems import _process, _reaper
from tests.unit.systems.functions import one
from tests.unit.systems.processes.test_process import gone

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


# Starts a program behind a reaper; the program starts another one, in a session of its own.
CALLER = f"""
import os, subprocess, sys
read, write = os.pipe()
reaper = subprocess.Popen(
    [sys.executable, {_reaper.__file__!r}, str(write), sys.executable, "program.py"],
    pass_fds=[write], start_new_session=True)
reaper.wait()
"""
PROGRAM = """
import os, subprocess, sys, time
asleep = [sys.executable, "-c", "import time; time.sleep(60)"]
far = subprocess.Popen(asleep, start_new_session=True)
with open("new", "w") as file:
    file.write(f"{os.getppid()} {os.getpid()} {far.pid}")
os.rename("new", "pids")
time.sleep(60)
"""


@pytest.mark.parametrize("killed", ["ragate", "its reaper"])
def test_what_was_started_does_not_outlive_who_started_it(tmp_path: Path, killed: str):
    (tmp_path / "program.py").write_text(PROGRAM)
    caller = subprocess.Popen([sys.executable, "-c", CALLER], cwd=tmp_path)
    pids = tmp_path / "pids"
    while not pids.exists():
        assert caller.poll() is None
        time.sleep(0.01)
    reaper, program, far = map(int, pids.read_text().split())

    os.kill(caller.pid if killed == "ragate" else reaper, signal.SIGKILL)

    caller.wait()
    assert gone(program)
    if killed == "ragate":  # whoever ends a reaper gets no decision instead
        assert gone(reaper)
        assert gone(far)
    else:
        os.kill(far, signal.SIGKILL)


def test_a_reaper_whose_caller_is_gone_starts_nothing(tmp_path: Path):
    read, write = os.pipe()
    os.close(read)
    argv = [sys.executable, _reaper.__file__, str(write), "touch", "late"]

    done = subprocess.run(argv, cwd=tmp_path, pass_fds=[write], check=False, timeout=60)

    os.close(write)
    assert done.returncode == 0
    assert not (tmp_path / "late").exists()


def test_what_cannot_be_killed_is_waited_for_at_most_so_long(monkeypatch: pytest.MonkeyPatch):
    seconds = itertools.count()
    monkeypatch.setattr(_reaper, "_signal", lambda *_: None)
    monkeypatch.setattr(_reaper, "_children", list)
    monkeypatch.setattr(_reaper, "os", SimpleNamespace(waitpid=lambda *_: (0, 0), WNOHANG=1))
    time_of_it = SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _s: next(seconds))
    monkeypatch.setattr(_reaper, "time", time_of_it)

    assert not _reaper._killed_rest(1)

    assert next(seconds) < 100


def test_a_reaper_that_ends_before_it_started_anything_leaves_nothing(tmp_path: Path):
    async def stopped() -> None:
        child = await _process.start(
            ["sleep", "60"],
            key="interpreter",
            cwd=tmp_path,
            environment={},
            talks=False,
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
