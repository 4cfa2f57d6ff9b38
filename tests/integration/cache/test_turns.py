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


def waited_s(turns: AskingTurns, *keys: str) -> float:
    async def wait() -> None:
        for key in keys:
            async with turns.turn(key):
                pass

    started = time.monotonic()
    asyncio.run(wait())
    return time.monotonic() - started


def test_who_holds_a_turn_and_stands_still_is_waited_for_once(tmp_path: Path) -> None:
    turns = AskingTurns(tmp_path / "turns")
    with held(tmp_path / "turns"):
        assert waited_s(turns, OTHER) < 0.2
        turns.longest_s = 0.5
        assert waited_s(turns, KEY) >= 0.5
        assert waited_s(turns, KEY, KEY) < 0.2
    turns.close()


def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    turns = AskingTurns(tmp_path / "turns")
    with held(tmp_path / "turns") as process:
        process.kill()
        process.wait()
        assert waited_s(turns, KEY) < 0.2
    turns.close()


def test_nobody_waits_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    turns = AskingTurns(tmp_path / "turns")
    with held(tmp_path / "turns"):
        monkeypatch.setattr(fcntl, "lockf", refuse)
        assert waited_s(turns, KEY) < 0.2
    turns.close()


def test_a_folder_in_the_files_place_keeps_nobody(tmp_path: Path) -> None:
    assert waited_s(AskingTurns(tmp_path), KEY) < 0.2


def test_those_of_one_process_have_a_turn_together_until_the_last_is_done(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "turns"), KEY]
    turns = AskingTurns(tmp_path / "turns")
    first, second = turns.turn(KEY), turns.turn(KEY)
    with asyncio.Runner() as loop:
        loop.run(first.__aenter__())
        loop.run(second.__aenter__())
        loop.run(second.__aexit__(None, None, None))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert not select.select([other.stdout], [], [], 2.0)[0]
            loop.run(first.__aexit__(None, None, None))
            assert other.stdout.readline() == "held\n"
            other.kill()
    turns.close()
