"""Workers that die, hang, flood or lie: the fate of a sample is its own."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest

from ragate.systems import _worker
from tests.factories import sample_factory
from tests.unit.systems.bare import asked, one
from tests.unit.systems.using import message

DYING = """
import os, sys, time
def answer(query):
    if "die" in query:
        time.sleep(0.2)
        sys.stderr.write("one\\nsegments are gone\\n")
        sys.stderr.flush()
        HOW
    time.sleep(0.4)
    return str(os.getpid())
"""


@pytest.fixture(autouse=True)
def short_farewell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less for the end of a process that is stopped or hangs: none of them ends by itself."""
    monkeypatch.setattr(_worker.Worker, "grace_s", 0.2)


def samples(*queries: str):
    return [sample_factory(f"q{number}", query=query) for number, query in enumerate(queries)]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("os._exit(7)", "ended with exit code 7; it last wrote: one [|] segments are gone"),
        (
            """print("Fatal Python error: x", file=sys.stderr)
        print(f'  File "{__file__}", line 2 in f\\none', file=sys.stderr, flush=True)
        os.kill(os.getpid(), 9)""",
            "was ended by signal 9; it last wrote: one",
        ),
        ("import ctypes; ctypes.string_at(0)", r"by signal 11 \(project_\w+.py:8, in answer\)"),
    ],
)
def test_a_death_is_told_with_its_code_and_last_lines_and_is_that_of_its_sample_alone(
    tmp_path: Path, how: str, told: str
):
    outputs = asked(tmp_path, DYING.replace("HOW", how), samples=samples("a", "die", "b", "c", "d"))

    assert re.search(told, message(outputs[1]))
    others = [output for number, output in enumerate(outputs) if number != 1]
    assert all(output.answer for output in others)


def test_the_time_of_a_process_that_another_sample_ended_is_not_the_samples(tmp_path: Path):
    code = """
    import os, pathlib, time
    def answer(query):
        died = pathlib.Path("died")
        if not died.exists(): time.sleep(3 if query == "die" else 60)
        died.touch()
        if query == "die": os._exit(1)
        return "fine"
    """

    outputs = asked(tmp_path, code, samples=samples("a", "die", "b"))

    assert [output.answer for output in outputs] == ["fine", None, "fine"]
    assert all((output.latency_s or 0.0) < 3.0 for output in outputs if output.answer)


def test_who_waits_for_a_worker_of_its_own_has_waited_for_no_model(tmp_path: Path):
    code = """
    import os, time
    time.sleep(0.3)
    def answer(query):
        os._exit(3)
    """

    outputs = asked(tmp_path, code, samples=samples(*"abcdefgh"), timeout_s=1.0)

    assert [output.error.kind for output in outputs if output.error] == ["system"] * 8


def test_a_worker_that_always_dies_is_given_up(tmp_path: Path):
    code = """
    import os, pathlib
    def answer(query):
        with pathlib.Path("deaths").open("a") as file: file.write("x")
        os._exit(3)
    """

    outputs = asked(tmp_path, code, samples=samples(*"abcdefghijkl"))

    assert all("exit code 3" in message(output) for output in outputs)
    assert "not asked, after 5 failures in a row" in message(outputs[-1])
    assert len((tmp_path / "deaths").read_text()) <= 20


def test_a_sample_that_hangs_ends_its_process_and_no_other_sample(tmp_path: Path):
    code = """
    import os, pathlib, time
    def answer(query):
        pathlib.Path(query).write_text(str(os.getpid()))
        while "hang" in query: time.sleep(0.05)
        time.sleep(0.3)
        return "fine"
    """
    outputs = asked(tmp_path, code, samples=samples("a", "hang", "b", "c", "d", "e"), timeout_s=5.0)

    assert "no output within" in message(outputs[1])
    assert [output.answer for output in outputs].count("fine") == 5
    pid = int((tmp_path / "hang").read_text())
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    "stops",
    [
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "re.match('(a+)+$', 'a' * 64 + 'b')",  # holds the interpreter: no thread runs beside it
        "[os.close(number) for number in range(3, 64) if is_socket(number)]; time.sleep(600)",
    ],
)
def test_a_sample_that_silences_its_process_takes_no_other_along(tmp_path: Path, stops: str):
    code = f"""
    import os, re, signal, stat, time
    def is_socket(number):
        try: return stat.S_ISSOCK(os.fstat(number).st_mode)
        except OSError: return False
    def answer(query):
        time.sleep(0.1)
        if "stop" in query:
            {stops}
        time.sleep(0.1)
        return "fine"
    """

    outputs = asked(tmp_path, code, samples=samples("a", "stop", "b", "c", "d"), timeout_s=2.0)

    assert "no output within 2 s" in message(outputs[1])
    others = [output for number, output in enumerate(outputs) if number != 1]
    assert [output.answer for output in others] == ["fine"] * 4
    assert all(0.2 <= (output.latency_s or 0.0) < 2.0 for output in others)


def test_code_that_blocks_its_loop_in_turns_is_slow_and_asked_once(tmp_path: Path):
    code = """
    import pathlib, time
    async def answer(query):
        with pathlib.Path("asked").open("a") as file: file.write("x")
        time.sleep(0.7)
        return "fine"
    """

    outputs = asked(tmp_path, code, samples=samples(*"abcd"), timeout_s=14.0)

    assert [output.answer for output in outputs] == ["fine"] * 4
    assert (tmp_path / "asked").read_text() == "xxxx"
    assert max(output.latency_s or 0.0 for output in outputs) > 2.5


def test_code_that_silences_each_process_is_given_up(tmp_path: Path):
    code = """
    import os, signal
    def answer(query): os.kill(os.getpid(), signal.SIGSTOP)
    """

    outputs = asked(tmp_path, code, samples=samples(*"abcdefghijklmnopqrst"), timeout_s=0.5)

    assert "no output within" in message(outputs[0])
    assert "not asked, after 5 failures in a row: no output in time" in message(outputs[-1])


def test_code_that_blocks_its_loop_and_ignores_signals_is_ended(tmp_path: Path):
    code = """
    import signal, pathlib, os, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    async def answer(query):
        pathlib.Path("pid").write_text(str(os.getpid()))
        while True: time.sleep(0.05)
    """
    started = time.monotonic()

    (output,) = asked(tmp_path, code, samples=samples("a"), timeout_s=1.0)

    assert "no output within" in message(output)
    assert time.monotonic() - started < 120
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


# What hostile code does that finds the socket among its descriptors.
SOCKET = """
import os, json, socket, stat
def link():
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                other = socket.socket(fileno=os.dup(number))
                if other.family == socket.AF_UNIX and other.getpeername():
                    return other
        except OSError:
            continue
"""


UNASKED = json.dumps({"id": "q0", "value": "forged"})


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("'no json' + END", "wrote to its socket what is no reply: no json"),
        ("'[1]' + END", "wrote to its socket what is no reply: [1]"),
        (f"({UNASKED!r} + END) * 5000", "replies to nothing that was asked"),
        ("'x' * 20_000_000", "wrote a line of more than 16777216 bytes"),
    ],
)
def test_what_is_no_reply_on_its_socket_ends_it(tmp_path: Path, lines: str, told: str):
    code = f"{SOCKET}\nEND = chr(10)\ndef answer(query):\n    link().sendall(({lines}).encode())\n"

    (output,) = asked(tmp_path, f"{code}    return 'x'", samples=samples("a"))

    assert told in message(output)


def test_a_sample_cannot_answer_for_another_one(tmp_path: Path):
    code = (
        SOCKET
        + """
import time
def answer(query):
    if query == "forger":
        for name in ("q0", "q1", "1", "2", "0" * 32):
            line = json.dumps({"id": name, "value": "forged"}) + chr(10)
            link().sendall(line.encode())
    time.sleep(0.3)
    return "true " + query
"""
    )

    outputs = asked(tmp_path, code, samples=samples("forger", "other"))

    assert [output.answer for output in outputs] == ["true forger", "true other"]


def test_a_flood_of_lines_is_read_and_not_all_shown(tmp_path: Path):
    said: list[str] = []
    code = "def answer(query):\n    for n in range(5000): print('line', n)\n    return 'x'"

    output = one(tmp_path, code, resources={"say": said.append})

    assert output.answer == "x"
    assert len(said) == 2001
    assert "what follows is not shown" in said[-1]


def test_an_interpreter_that_is_gone_meanwhile_leaves_samples_unmeasured(tmp_path: Path):
    (tmp_path / "python").symlink_to("/usr/bin/env")
    code = "import os, pathlib\ndef answer(query):\n"
    code += "    pathlib.Path('python').unlink(missing_ok=True)\n    os._exit(1)"

    outputs = asked(
        tmp_path, code, samples=samples(*"abcdefghij"), interpreter=["./python", sys.executable]
    )

    errors = [output.error for output in outputs if output.error]
    assert [error.kind for error in errors] == ["provider"] * 10
    assert "cannot be started" in errors[0].message
    assert "not asked, after 5 failures in a row" in errors[-1].message
