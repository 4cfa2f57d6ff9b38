"""A process that ends past every frame of ours, and the parent that takes it for no verdict."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragate.__main__ import WATCHED
from ragate.cli.group import COMMANDS
from tests.container_rights import AS_IN_A_CONTAINER, LOOKS_INTO_PROCESSES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody watches elsewhere")

SCRIPT = """
import atexit, ctypes, os, pathlib, signal, sys, time
from ragate.process.entry import end_with

def command():
{body}
    return {code}

end_with(command, watched=True)
"""
C = "ctypes.CDLL(None)"
# They judge nothing, or, as the built-in RAG, run no code of the project in their process.
NO_VERDICT = {"dataset", "doctor", "index", "ingest", "init", "plugin", "record", "worker"}


def script_of(body: str, code: int = 0) -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return SCRIPT.format(body=lines, code=code)


def started(body: str, code: int = 0) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    argv = [sys.executable, "-c", script_of(body, code)]
    return subprocess.Popen(argv, stdout=pipe, stderr=pipe, text=True)


def ended(body: str, code: int = 0) -> tuple[int, str]:
    process = started(body, code)
    _, said = process.communicate(timeout=30)
    return process.returncode, said


def wait_for(mark: Path) -> None:
    deadline = time.monotonic() + 30
    while not mark.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("code", [0, 1, 2, 3, 130])
def test_a_code_that_was_told_is_the_process_own(code: int):
    assert ended("pass", code) == (code, "")


@pytest.mark.parametrize(
    "body",
    [
        f"{C}._exit(0)",
        f"{C}._exit(1)",
        f"{C}.quick_exit(0)",
        "sys.modules['posix']._exit(0)",
        "os.execv('/bin/true', ['true'])",
        "os._exit(0)",
        "os.closerange(3, 64)",
    ],
)
def test_an_end_before_the_verdict_is_no_decision_and_says_so(body: str):
    code, said = ended(body)

    assert code == 3
    assert "in the middle; no decision" in said


@pytest.mark.parametrize("late", [f"{C}._exit, 0", "os.execv, '/bin/true', ['true']"])
def test_what_ends_the_process_after_the_verdict_does_not_change_it(late: str):
    assert ended(f"atexit.register({late})", 1) == (1, "")


def test_another_file_under_the_pipes_number_is_not_written_to(tmp_path: Path):
    other = tmp_path / "other"
    other.write_text("")
    body = f"os.closerange(3, 64)\nfor _ in range(20):\n    os.open({str(other)!r}, os.O_WRONLY)"

    assert ended(body)[0] == 3
    assert other.read_text() == ""


def test_what_a_started_process_goes_on_holding_does_not_hold_up_the_end():
    began = time.monotonic()

    code, _ = ended("if not os.fork():\n    os.close(1); os.close(2); time.sleep(5); os._exit(0)")

    assert code == 0
    assert time.monotonic() - began < 4


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_who_asks_it_to_end_asks_the_command(tmp_path: Path, stop: signal.Signals):
    mark = tmp_path / "begun"
    process = started(f"pathlib.Path({str(mark)!r}).touch(); time.sleep(30)")
    wait_for(mark)

    process.send_signal(stop)
    _, said = process.communicate(timeout=25)

    assert process.returncode == 130
    assert said == ""


def test_a_terminal_that_is_gone_ends_the_command(tmp_path: Path):
    mark, end = tmp_path / "begun", tmp_path / "end"
    body = (
        f"pathlib.Path({str(mark)!r}).touch()\n"
        "try:\n"
        "    time.sleep(20)\n"
        "finally:\n"
        f"    pathlib.Path({str(end)!r}).touch()"
    )
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, "-c", script_of(body)])
    wait_for(mark)

    os.close(terminal)

    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 130
    assert end.exists()


def test_a_caller_that_ignores_its_childrens_end_gets_the_code():
    ignores = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"

    done = subprocess.run(
        [sys.executable, "-c", f"{ignores}\n{script_of('pass', 1)}"], timeout=30, check=False
    )

    assert done.returncode == 1


def test_what_the_code_forked_tells_no_verdict():
    body = "child = os.fork()\nif not child:\n    return 0\nos.waitpid(child, 0)"

    assert ended(body, 1) == (1, "")


def test_a_signal_that_ends_the_command_ends_the_process():
    assert ended("os.kill(os.getpid(), 9)") == (-signal.SIGKILL, "")


def test_a_killed_process_leaves_no_command_behind(tmp_path: Path):
    mark = tmp_path / "pid"
    process = started(f"pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(30)")
    wait_for(mark)
    time.sleep(0.05)
    command = int(mark.read_text())

    process.kill()
    process.communicate(timeout=25)  # not before nobody holds its streams any more
    time.sleep(0.2)

    assert command != process.pid
    assert not _runs(command)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@LOOKS_INTO_PROCESSES
def test_the_one_that_watches_hides_its_memory_and_its_variables():
    body = (
        "time.sleep(0.3)\n"
        "for name in ('environ', 'mem', 'maps'):\n"
        "    again = f\"open('/proc/{os.getppid()}/{name}', 'rb').read(1)\"\n"
        "    os.spawnv(os.P_WAIT, sys.executable, [sys.executable, '-c', again + '; print(1)'])"
    )

    ran = subprocess.run(
        [*AS_IN_A_CONTAINER, sys.executable, "-c", script_of(body)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout == ""


def test_beside_a_debuggers_threads_nobody_watches():
    code = "import os, threading\nparent = os.getpid()\n"
    threaded = "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    last = "print(os.getpid() == parent)\nreturn 0"
    body = "\n".join(f"    {line}" for line in last.splitlines())
    script = f"{code}{threaded}from ragate.process.entry import end_with\ndef run():\n{body}\n"

    argv = [sys.executable, "-c", f"{script}\nend_with(run, watched=True)"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)

    assert done.stdout == "True\n"


def test_every_command_that_gives_a_verdict_is_watched():
    commands = Path(sys.modules["ragate.cli.group"].__file__ or "").parent
    runs_code = {
        name
        for name, (module, _) in COMMANDS.items()
        if _runs_code(commands / f"{module.replace('.', '/')}.py")
    }

    assert runs_code - NO_VERDICT <= WATCHED
    assert set(COMMANDS) >= WATCHED


def _runs_code(path: Path) -> bool:
    text = path.read_text()
    return "run_aside" in text or "asyncio.run" in text or "one_step" in text
