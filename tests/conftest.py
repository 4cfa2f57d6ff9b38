"""What holds for every test: no test fails because a machine is busy."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# By day the same examples each time, and nothing is kept; HYPOTHESIS_PROFILE=night looks further.
# Tests of what a stranger may write have more of them.
for profile, examples in (("day", 25), ("night", 300)):
    settings.register_profile(
        profile,
        max_examples=examples,
        derandomize=profile == "day",
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "day"))

# A shell starts its background jobs with these ignored, and every child would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
# So does nohup with this one. We go on ignoring it; what we start shall not.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# The project of a test is its own, whatever the shell that starts the tests has set.
for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR", "PYTHONUNBUFFERED"):
    os.environ.pop(name, None)

# A run, a baseline, a commit are safe on the disk before anything goes on: a test waits for that
# longer than it computes. Where memory has room for them, tests write there.
MEMORY, ROOM = Path("/dev/shm"), 6 << 30


def memory_has_room() -> bool:
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        return False
    there = os.statvfs(MEMORY)
    return there.f_bavail * there.f_frsize > ROOM and not there.f_flag & os.ST_NOEXEC


# Bytecode of what a collection imports is kept, also where the machine wants none: each process
# would compile every test and the whole product. Tests write none, on any machine: a project's
# module that is written twice in a second would be the first one's.
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = False

# What a collection makes stays to the end: looking for garbage in it was two fifths of its time.
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    """Let tests write to memory; what is mounted into containers is on the disk, as a runner's."""
    wanted = "TMPDIR" not in os.environ and config.option.markexpr != "container"
    if wanted and memory_has_room():
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # pytest has asked already


def pytest_collection_finish() -> None:
    sys.dont_write_bytecode = True
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, object, object]:
    """Collect no garbage while a failure is told.

    A destructor that fails meanwhile is told as well, which parses source in the middle of a parse:
    Python 3.11 raises a `SystemError` then, and of the failure nobody would hear.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many processes again as there are cores: a third of the time a test waits."""
    return (os.cpu_count() or 1) * 3 // 2


@pytest.fixture(autouse=True)
def modules_of_this_test_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Forget the modules of a test's own project: the next one's may have the same name.

    What lies elsewhere stays, in a clone below the machine's temporary folder as well.
    """
    before = set(sys.modules)
    yield
    forget(set(sys.modules) - before, below=tmp_path_factory.getbasetemp())


def forget(names: set[str], *, below: Path) -> None:
    """Let modules be imported anew whose files are in a folder."""
    for name in names:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(below):
            del sys.modules[name]
