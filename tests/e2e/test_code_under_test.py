"""Whatever code under test does to its process, it fails a sample or decides nothing."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import ragate
from tests.e2e.test_streams import gate_on

pytestmark = pytest.mark.e2e
GOOD = """\
import asyncio, ctypes, gc, json, os, resource, signal, socket, sys, time
FORGED = '{"answer": "For 30 days [1].", "chunks": [{"doc_id": "a.md", "text": "30 days."}]}'

def links():
    return [o for o in gc.get_objects() if type(o) is socket.socket and o.timeout is None]

def fill():
    resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))
    return "x" * 4_000_000_000

async def cancel():
    asyncio.current_task().cancel()
    await asyncio.sleep(1)

def good():
    return json.loads(FORGED)

"""
# What the code does -> what is said of the sample, with the line where Python knows it.
ENDS = {
    "sys.exit(0)": r"SystemExit: 0 \(rag.py:19, in answer\)",
    "os._exit(0)": "ended with exit code 0",
    "ctypes.CDLL(None).exit(0)": "ended with exit code 0",
    "ctypes.CDLL(None)._exit(0)": "ended with exit code 0",
    "ctypes.string_at(0)": r"was ended by signal 11 \(rag.py:19, in answer\)",
    "os.abort()": r"was ended by signal 6 \(rag.py:19, in answer\)",
    "os.kill(os.getpid(), signal.SIGKILL)": "was ended by signal 9",
    "os.execv('/bin/true', ['true'])": "closed its output|ended with exit code 0",
    "os.execv('/bin/sleep', ['sleep', '60'])": "closed its output|no output within 1 s",
    "os.closerange(3, 256)": "no output within 1 s|ended with exit code 1",
    "os.kill(os.getpid(), signal.SIGSTOP)": "no output within 1 s",
    "time.sleep(60)": "no output within 1 s",
    "fill()": r"MemoryError \(rag.py:9, in fill\)",
    "raise KeyboardInterrupt": r"KeyboardInterrupt.*\(rag.py:19, in answer\)",
    "return 10 ** 5000": "cannot be sent: Exceeds the limit",
    "return object()": "returned object <object object>; expected a text",
    "return (x for x in 'ab')": "join the pieces that it yields",
    "return 'x' * 20_000_000": "the limit is 17 MB",
    "[l.sendall(b'{}\\n') for l in links()]; time.sleep(1)": "wrote to its socket what is no reply",
    "[l.sendall(b'x' * 20_000_000) for l in links()]": "wrote a line of more than",
}
ASYNC_ENDS = {
    "await cancel()": r"CancelledError \(rag.py:13, in cancel\)",
    "sys.exit(0)": r"SystemExit: 0 \(rag.py:19, in answer\)",
    "raise KeyboardInterrupt": r"KeyboardInterrupt \(rag.py:19, in answer\)",
    "asyncio.get_running_loop().stop(); await cancel()": "CancelledError|exit code 1",
    "os._exit(0)": "ended with exit code 0",
    "await asyncio.sleep(60)": "no output within 1 s",
}


AT_THE_START = {
    "raise ValueError('no index')": (2, r"raised ValueError: no index \(rag.py:18, in <module>\)"),
    "sys.exit(0)": (2, r"raised SystemExit: 0 \(rag.py:18, in <module>\)"),
    "os._exit(0)": (2, "its worker ended with exit code 0"),
    "ctypes.string_at(0)": (2, r"its worker was ended by signal 11 \(rag.py:18, in <module>\)"),
    "time.sleep(60)": (2, "not imported and set up within 4 s"),
    "raise ConnectionRefusedError('no database')": (3, r"no database \(rag.py:18, in <module>\)"),
}


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with a baseline that its code meets."""
    root = tmp_path_factory.mktemp("gated")
    gate_on(root, f"{GOOD}def answer(query):\n    return good()\n")
    assert ragate(root, "baseline", "update").returncode == 0
    assert ragate(root, "check").returncode == 0
    return root


def checked(gated: Path, root: Path, code: str, told: str = "") -> tuple[int, str]:
    """Return the exit code, and all that was printed.

    Args:
        told: What is expected to be said: what may hang is given little time, the rest enough.
    """
    shutil.copytree(gated, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "rag.py").write_text(GOOD + code)
    timeout_s = "1" if "within 1 s" in told else "60"
    if "within 4 s" in told:
        config = root / "ragate.toml"
        text = config.read_text().replace("[policy]", "start_timeout_s = 4\n[policy]", 1)
        config.write_text(text)
    done = ragate(root, "check", "--format", "json", env={"RAGATE_TIMEOUT_S": timeout_s})
    return done.returncode, (done.stdout + done.stderr).replace('\\"', '"')


@pytest.mark.parametrize(
    ("body", "told", "kind"),
    [(body, told, "def") for body, told in ENDS.items()]
    + [(body, told, "async def") for body, told in ASYNC_ENDS.items()],
)
def test_what_ends_or_breaks_its_process_fails_its_sample(
    gated: Path, tmp_path: Path, body: str, told: str, kind: str
):
    code, text = checked(gated, tmp_path, f"{kind} answer(query):\n    {body}\n", told)

    assert code == 3, text  # its only sample failed
    assert re.search(told, text, re.DOTALL), text


@pytest.mark.parametrize("body", AT_THE_START)
def test_what_ends_or_breaks_it_before_the_first_question_ends_the_run(
    gated: Path, tmp_path: Path, body: str
):
    expected, told = AT_THE_START[body]
    code, text = checked(gated, tmp_path, f"{body}\ndef answer(query):\n    return good()\n", told)

    assert code == expected, text
    assert re.search(told, text, re.DOTALL), text


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("os._exit(0)", "ended with exit code 0"),
        ("raise ValueError('no index')", r"ValueError: no index \(rag.py:20, in query\)"),
        ("return links()[0]", "all 1 outputs failed|no source nodes"),
    ],
)
def test_an_engine_of_llamaindex_fails_no_otherwise(
    gated: Path, tmp_path: Path, body: str, told: str
):
    shutil.copytree(gated, tmp_path, dirs_exist_ok=True)
    config = (tmp_path / "ragate.toml").read_text()
    engine = config.replace('"python"', '"llamaindex"').replace("rag:answer", "rag:Engine")
    (tmp_path / "ragate.toml").write_text(engine)
    (tmp_path / "rag.py").write_text(
        f"{GOOD}class Engine:\n    def query(self, query):\n        {body}\n"
    )

    done = ragate(tmp_path, "check")

    assert done.returncode in (1, 3), done.stderr
    assert re.search(told, done.stdout + done.stderr), done.stdout + done.stderr


TWICE = """\
class Twice:
    def __init__(self, link):
        self.link = link
    def sendall(self, line):
        self.link.sendall(line + line)

def answer(query):
    (loop,) = [found for found in gc.get_objects() if type(found).__name__ == "RequestLoop"]
    loop._link = Twice(loop._link)
    return good()
"""


def test_a_reply_that_comes_twice_counts_once(gated: Path, tmp_path: Path):
    code, text = checked(gated, tmp_path, TWICE)

    assert code == 0, text


LATE = """\
def answer(query):
    import subprocess
    forge = "trap '' TERM HUP; while true; do echo FORGED > report.json; sleep 0.1; done"
    subprocess.Popen(["bash", "-c", forge], start_new_session=True)
    return good()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts orphans")
def test_nothing_writes_over_a_report_that_is_written(gated: Path, tmp_path: Path):
    shutil.copytree(gated, tmp_path, dirs_exist_ok=True)
    (tmp_path / "rag.py").write_text(GOOD + LATE)

    done = ragate(tmp_path, "check", "--format", "json", "--output", "report.json")
    time.sleep(0.5)

    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "report.json").read_text())["decision"]["exit_code"] == 0
