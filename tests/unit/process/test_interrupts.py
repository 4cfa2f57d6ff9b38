"""What holds interrupts back, and what does not lose them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragate.process import uninterrupted

STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
BEGUN = "import atexit, os, pathlib, signal, time\n"
IN_A_DESTRUCTOR = """
from ragate.process import end_with

class Left:
    def __del__(self):
        signal.raise_signal({number})

def command():
    left = Left()
    del left
    time.sleep(200)
    return 0

end_with(command)
"""
OUTSIDE_OF_THE_FRAME = """
from ragate.process import take_interrupts

take_interrupts()
signal.raise_signal({number})
"""
AT_THE_END = """
from ragate.process import end_with

def last():
    pathlib.Path({mark!r}).touch()
    time.sleep(200)

def command():
    atexit.register(last)
    return 0

end_with(command)
"""

OUT_OF_TIME = """
import sys
from ragate.process import end_with

class Late:  # freed while Python itself ends, which gives signals their deadly meaning back
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGXCPU):
        kill(pid, number)

def command():
    sys.modules["late"] = Late()
    return 1

end_with(command)
"""


def started(script: str, **values: object) -> subprocess.Popen[str]:
    """Start Python on a script."""
    return subprocess.Popen(
        [sys.executable, "-c", BEGUN + script.format(**values)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_interrupt_waits_for_the_end_of_what_must_not_be_half_done():
    done = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert done == ["all of it"]


def test_afterwards_an_interrupt_is_heard_as_before():
    with uninterrupted():
        pass

    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("stop", STOPS)
def test_a_signal_where_python_cannot_raise_is_delivered_once_more(stop: signal.Signals):
    process = started(IN_A_DESTRUCTOR, number=int(stop))

    _, said = process.communicate(timeout=120)

    assert process.returncode == 130
    assert said == ""


@pytest.mark.parametrize("stop", STOPS)
def test_a_signal_that_nothing_catches_any_more_leaves_no_traceback(stop: signal.Signals):
    process = started(OUTSIDE_OF_THE_FRAME, number=int(stop))

    _, said = process.communicate(timeout=120)

    assert process.returncode != 0
    assert said == ""


@pytest.mark.parametrize("stop", STOPS)
def test_a_signal_while_python_ends_ends_it_at_once(tmp_path: Path, stop: signal.Signals):
    mark = tmp_path / "ending"
    process = started(AT_THE_END, mark=str(mark))
    deadline = time.monotonic() + 120
    while not mark.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)

    process.send_signal(stop)
    _, said = process.communicate(timeout=120)

    assert process.returncode == -stop
    assert said == ""


@pytest.mark.skipif(not hasattr(signal, "SIGXCPU"), reason="no limit on CPU time here")
def test_a_limit_on_cpu_time_that_is_reached_while_python_ends_leaves_the_verdict():
    process = started(OUT_OF_TIME)

    _, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (1, "")
