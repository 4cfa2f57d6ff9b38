"""What a process leaves behind, holding its pipes open, holds up nobody."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ragate.errors import SystemStartError
from ragate.systems._process import Child, Programs, start
from ragate.systems.http.policy import Hidden
from ragate.systems.http.prepare import Preparation
from ragate.systems.http.settings import PrepareStep
from tests.factories import sample_factory
from tests.unit.systems import bare
from tests.unit.systems.commands import answers, program
from tests.unit.systems.using import message, resources_of

# It leaves the group, so that it is not ended with it, and keeps all that it inherited.
LEAVE = """
import subprocess, sys, os
left = subprocess.Popen(
    [sys.executable, "-S", "-c", "import time; time.sleep(300)"],
    start_new_session=True, close_fds=False)
with open("left", "a") as file: file.write(f"{left.pid}\\n")
"""


@pytest.fixture(autouse=True)
def _leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    left = []
    for pid in (tmp_path / "left").read_text().split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
            left.append(pid)
    assert sys.platform != "linux" or not left, "it outlived what started it"


@pytest.fixture
def within() -> Iterator[None]:
    """Hold a test to less than what was left behind stays, which is five minutes."""
    started = time.monotonic()
    yield
    assert time.monotonic() - started < 150


async def started(root: Path, code: str, *, talks: bool = False) -> Child:
    argv = [sys.executable, "-S", "-c", code]
    return await start(argv, key="start", cwd=root, environment=os.environ, talks=talks)


@pytest.mark.usefixtures("within")
def test_the_end_of_a_process_is_seen_though_its_output_stays_open(tmp_path: Path):
    async def code() -> int | None:
        child = await started(tmp_path, f"{LEAVE}\nsys.exit(7)")
        await child.wait()
        await child.stop()
        return child.code

    assert asyncio.run(code()) == 7


@pytest.mark.usefixtures("within")
def test_a_process_that_is_ended_is_not_waited_for_longer(tmp_path: Path):
    async def ended() -> str:
        child = await started(
            tmp_path, f"{LEAVE}\nprint('up', flush=True)\nleft.wait()", talks=True
        )
        await child.read_line()  # by now it has started the other
        await child.stop()
        return await child.why()

    assert asyncio.run(ended()).startswith("was ended by signal 15")


@pytest.mark.usefixtures("within")
def test_its_last_line_is_read_and_then_its_output_is_over(tmp_path: Path):
    async def lines() -> list[bytes]:
        child = await started(tmp_path, f"{LEAVE}\nprint('last', flush=True)", talks=True)
        try:
            return [await child.read_line(), await child.read_line()]
        finally:
            await child.stop()

    assert asyncio.run(lines()) == [b"last\n", b""]


@pytest.mark.usefixtures("within")
def test_a_command_that_dies_so_is_started_again(tmp_path: Path):
    die = "if query == 'die' and not os.path.exists('died'): open('died', 'w'); os._exit(3)"
    command = program(tmp_path, die, first=LEAVE)

    outputs = answers(tmp_path, command, ["a", "die", "b"], timeout_s=200.0)

    assert [output.answer for output in outputs] == ["a", "die", "b"]


@pytest.mark.usefixtures("within")
def test_a_worker_that_dies_so_fails_its_sample_alone(tmp_path: Path):
    code = f"""{LEAVE}
def answer(query):
    if query == "q0": os._exit(3)
    return query
"""
    samples = [sample_factory(f"s{n}", query=f"q{n}") for n in range(2)]

    outputs = bare.asked(tmp_path, code, samples=samples, timeout_s=200.0)

    assert "ended with exit code 3" in message(outputs[0])
    assert outputs[1].answer == "q1"


@pytest.mark.usefixtures("within")
def test_an_interpreter_that_ends_so_is_told_at_once(tmp_path: Path):
    (tmp_path / "launch.py").write_text(f"{LEAVE}\nsys.exit('no such environment')")

    with pytest.raises(SystemStartError, match="exit code 1; it last wrote: no such environment"):
        bare.one(tmp_path, "def answer(query): ...", interpreter=[sys.executable, "launch.py"])


@pytest.mark.usefixtures("within")
@pytest.mark.parametrize(("code", "told"), [(0, ""), (4, "ended with exit code 4")])
def test_a_command_of_prepare_is_done_when_it_has_ended(tmp_path: Path, code: int, told: str):
    said: list[str] = []
    argv = (sys.executable, "-S", "-c", f"{LEAVE}\nsys.exit({code})")
    steps = [PrepareStep(command=argv, timeout_s=200.0)]

    async def prepared() -> None:
        resources = resources_of(tmp_path, say=said.append)
        preparation = Preparation(steps, resources, Hidden([]), Programs(resources, ()))
        try:
            await preparation.run()
        finally:
            await preparation.close()

    if told:
        with pytest.raises(SystemStartError, match=told):
            asyncio.run(prepared())
    else:
        asyncio.run(prepared())
        assert "is done" in said[0]
