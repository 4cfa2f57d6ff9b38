"""Whose turn it is to ask: nobody waits for ever, nor where there are no locks."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragate.cache.turns import AskingTurns

pytestmark = pytest.mark.integration
KEY, OTHER = "a" * 64, "b" * 64
HOLD = """
import asyncio, sys
from pathlib import Path
from ragate.cache.turns import AskingTurns
async def main():
    async with AskingTurns(Path(sys.argv[1])).turn(sys.argv[2]):
        print("held", flush=True)
        await asyncio.sleep(300)
asyncio.run(main())
"""


@contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Have a process that holds a turn and stands still."""
    command = [sys.executable, "-c", HOLD, str(path), KEY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        process.send_signal(signal.SIGSTOP)
        try:
            yield process
        finally:
            process.kill()


def take(turns: AskingTurns, *keys: str) -> None:
    """Have a turn of each key; of all together for a minute at most."""

    async def wait() -> None:
        async with asyncio.timeout(60):
            for key in keys:
                async with turns.turn(key):
                    pass

    asyncio.run(wait())


@pytest.fixture
def turns(tmp_path: Path) -> Iterator[AskingTurns]:
    """Turns that are waited for without end: who has one in these tests has not waited."""
    turns = AskingTurns(tmp_path / "turns")
    turns.longest_s = 3600.0
    yield turns
    turns.close()


def test_who_holds_a_turn_and_stands_still_is_waited_for_once(
    tmp_path: Path, turns: AskingTurns
) -> None:
    with held(tmp_path / "turns"):
        take(turns, OTHER)
        turns.longest_s = 0.5
        started = time.monotonic()
        take(turns, KEY)
        assert time.monotonic() - started >= 0.5
        turns.longest_s = 3600.0
        take(turns, KEY, KEY)


def test_a_killed_holder_lets_go(tmp_path: Path, turns: AskingTurns) -> None:
    with held(tmp_path / "turns") as process:
        process.kill()
        process.wait()
        take(turns, KEY)


def test_nobody_waits_where_there_are_no_locks(
    tmp_path: Path, turns: AskingTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    with held(tmp_path / "turns"):
        monkeypatch.setattr(fcntl, "lockf", refuse)
        take(turns, KEY)


def test_a_folder_in_the_files_place_keeps_nobody(tmp_path: Path) -> None:
    take(AskingTurns(tmp_path), KEY)


def test_those_of_one_process_have_a_turn_together_until_the_last_is_done(
    tmp_path: Path, turns: AskingTurns
) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "turns"), KEY]
    first, second = turns.turn(KEY), turns.turn(KEY)
    with asyncio.Runner() as loop:
        loop.run(first.__aenter__())
        loop.run(second.__aenter__())
        loop.run(second.__aexit__(None, None, None))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert not select.select([other.stdout], [], [], 1.0)[0]
            loop.run(first.__aexit__(None, None, None))
            assert other.stdout.readline() == "held\n"
            other.kill()
