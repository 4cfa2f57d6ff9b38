"""A command's processes: what they get, and that none outlives the run."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.systems._process import start
from tests.unit.systems.commands import answers, program


def gone(pid: int) -> bool:
    """Whether a process has ended, or does so in half a minute."""
    for _ in range(3000):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().split(") ")[1]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state.startswith("Z"):
            return True
        time.sleep(0.01)
    return False


def test_the_process_and_its_children_end_with_the_run(tmp_path: Path):
    first = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'])\n"
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    )
    command = program(tmp_path, reply='{"answer": str(child.pid)}', first=first)

    outputs = answers(tmp_path, command, ["a"])

    assert gone(int(outputs[0].answer or 0))


def test_where_there_are_no_groups_the_process_itself_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delattr(os, "killpg")

    async def ended() -> int | None:
        code = "import time; print(flush=True); time.sleep(60)"
        argv = [sys.executable, "-c", code]
        child = await start(argv, key="start", cwd=tmp_path, environment=os.environ, talks=False)
        await child.stop()
        return child.code

    assert asyncio.run(ended()) not in (None, 0)


def test_the_command_gets_no_key_of_the_policy_unless_it_is_passed(tmp_path: Path):
    reply = '{"answer": os.environ.get("API_KEY", "none") + os.environ.get("OTHER", "none")}'
    environment = {**os.environ, "API_KEY": "secret", "OTHER": "plain"}
    given: dict[str, Any] = {"environment": environment, "key_names": frozenset({"API_KEY"})}
    command = program(tmp_path, reply=reply)

    without = answers(tmp_path, command, ["a"], **given)
    passed = answers(tmp_path, command, ["a"], settings={"pass_env": ["API_KEY"]}, **given)

    assert (without[0].answer, passed[0].answer) == ("noneplain", "***plain")
