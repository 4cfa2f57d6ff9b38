"""A forked command is what one that an interpreter was started for would be."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.command import CLEAN, RAGATE
from tests.servers.forks import CAN_FORK, run, start

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(not CAN_FORK, reason="no forks on this system")]


def by_interpreter(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RAGATE, *arguments],
        cwd=folder,
        env=CLEAN,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def full_pipe() -> tuple[int, int]:
    """Return a pipe that takes no more: who writes into it waits."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 512)
    os.set_blocking(writer, True)
    return reader, writer


@pytest.mark.parametrize(
    "arguments", [("--version",), ("init",), ("check",), ("power", "--nonsense"), ("db", "stop")]
)
def test_code_and_streams_are_those_of_an_interpreter(tmp_path: Path, arguments: tuple[str, ...]):
    forked = run("ragate", arguments, folder=tmp_path, variables=CLEAN, timeout=60)
    started = by_interpreter(tmp_path, *arguments)

    assert (forked.returncode, forked.stdout, forked.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_each_has_variables_of_its_own_and_nothing_of_the_last_one(tmp_path: Path):
    given = {**CLEAN, "RAGATE_CONFIG": "elsewhere.toml"}

    first = run("ragate", ["check"], folder=tmp_path, variables=given, timeout=60)
    second = run("ragate", ["check"], folder=tmp_path, variables=CLEAN, timeout=60)

    assert "elsewhere.toml" in first.stderr
    assert "elsewhere.toml" not in second.stderr


def test_one_that_a_signal_ended_says_which(tmp_path: Path):
    reader, writer = full_pipe()
    with start("ragate", ["--help"], folder=tmp_path, variables=CLEAN, stdout=writer) as process:
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)

        assert process.wait(30) == -signal.SIGKILL
    os.close(reader)
    os.close(writer)
