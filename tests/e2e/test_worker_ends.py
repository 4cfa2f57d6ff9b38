"""No worker outlives the command that started it, whatever ends that."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import start
from tests.unit.systems.bare import BARE

pytestmark = pytest.mark.e2e
WAIT_S = 240
CONFIG = f"""
[system]
use = "python"
target = "rag:answer"
interpreter = {json.dumps(BARE)}
[policy]
dataset = "golden.jsonl"
baseline = "baselines/main.json"
systems = ["python"]
metrics = {{"recall@5" = {{level = "error"}}}}
"""
SYNC = """
import os, pathlib, time
def answer(query):
    pathlib.Path("pid").write_text(str(os.getpid()))
    while True: time.sleep(0.05)
"""
ASYNC = SYNC.replace("def", "async def")


@pytest.mark.parametrize("code", [SYNC, ASYNC], ids=["thread", "blocked loop"])
@pytest.mark.parametrize(
    ("number", "code_of_end"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_a_worker_that_hangs_ends_with_its_command(
    tmp_path: Path, code: str, number: signal.Signals, code_of_end: int
):
    (tmp_path / "ragate.toml").write_text(CONFIG)
    (tmp_path / "golden.jsonl").write_text('{"id": "q1", "query": "Q?", "relevant": {"a.md": 1}}\n')
    (tmp_path / "rag.py").write_text(code)
    command = start(tmp_path, "collect")
    pid = tmp_path / "pid"
    until(lambda: pid.exists() and pid.read_text() != "")

    command.send_signal(number)
    command.communicate(timeout=WAIT_S)

    assert command.returncode == code_of_end
    until(lambda: not Path(f"/proc/{pid.read_text()}").exists())


# It says that it runs by its own file, and leaves its group, so that no group's end is its own.
LEAVES = """\
import subprocess, sys, time
child = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
)
open("pid", "w").write(str(child.pid))
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts orphans")
@pytest.mark.parametrize("killed", ["ragate", "the command"])
def test_what_a_killed_command_started_ends_too(tmp_path: Path, killed: str):
    system = f'use = "command"\ncommand = [{json.dumps(sys.executable)}, "rag.py"]\n'
    config = re.sub(r"use = .*?(?=\[policy)", lambda _: system, CONFIG, flags=re.DOTALL)
    (tmp_path / "ragate.toml").write_text(config.replace('"python"', '"command"'))
    (tmp_path / "golden.jsonl").write_text('{"id": "q1", "query": "Q?", "relevant": {"a.md": 1}}\n')
    (tmp_path / "rag.py").write_text(LEAVES)
    command = start(tmp_path, "collect")
    pid = tmp_path / "pid"
    until(lambda: pid.exists() and pid.read_text() != "")
    started = pid.read_text()

    parent = command.pid
    if killed == "the command":
        status = Path(f"/proc/{started}/status").read_text()
        parent = int(re.findall(r"^PPid:\s+(\d+)", status, re.MULTILINE)[0])
    os.kill(parent, signal.SIGKILL)

    until(lambda: not Path(f"/proc/{started}").exists())
    command.kill()
    command.communicate(timeout=WAIT_S)


def until(done: object) -> None:
    assert callable(done)
    end = time.monotonic() + WAIT_S
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)
