"""A baseline is read like everything that somebody else wrote: a regular file, inside, bounded."""

from __future__ import annotations

import os
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragate.baseline import baseline_digest, contexts_path, load_baseline, load_contexts
from ragate.cli.main import run
from ragate.errors import BaselineError
from tests.projects import ReplayProject

GIB = 1024**3
READERS: dict[str, tuple[Callable[[Path], object], Callable[[Path], Path]]] = {
    "baseline": (load_baseline, lambda path: path),
    "contexts": (load_contexts, contexts_path),
}


def waited(_number: int, _frame: object) -> None:
    raise AssertionError("it waits for somebody to write into the pipe")


@pytest.fixture
def impatient() -> Iterator[None]:
    """Fail rather than wait."""
    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Callable[[], object], Path]:
    """Return what reads one of a baseline's files, and where that is."""
    read, place = READERS[request.param]
    (tmp_path / "baselines").mkdir()
    path = tmp_path / "baselines" / "gate.json"
    return lambda: read(path), place(path)


@pytest.mark.usefixtures("impatient")
def test_a_pipe_is_refused_and_not_waited_for(reader):
    read, path = reader
    os.mkfifo(path)

    with pytest.raises(BaselineError, match="not a regular file"):
        read()


def test_a_device_is_refused(reader):
    read, path = reader
    path.symlink_to("/dev/zero")

    with pytest.raises(BaselineError, match=r"not a regular file|outside"):
        read()


def test_a_file_of_3_gb_is_refused_before_it_is_read(reader):
    read, path = reader
    with path.open("wb") as file:
        file.truncate(3 * GIB)

    tracemalloc.start()
    try:
        with pytest.raises(BaselineError, match="the limit is"):
            read()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 10**6


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path):
    (tmp_path / "baselines").mkdir()
    (tmp_path / "secret").write_text("canary")
    path = tmp_path / "baselines" / "gate.json"
    contexts_path(path).symlink_to(tmp_path / "secret")

    with pytest.raises(BaselineError, match="outside"):
        load_contexts(path)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", [["check"], ["baseline", "update"], ["baseline", "show"]])
def test_a_pipe_in_place_of_the_baseline_exits_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
):
    monkeypatch.chdir(tmp_path)
    ReplayProject(tmp_path)
    (tmp_path / "baselines").mkdir()
    os.mkfifo(tmp_path / "baselines" / "gate.json")

    assert run(command) == 2


def test_a_link_out_of_the_project_in_place_of_the_baseline_exits_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    ReplayProject(root)
    (root / "baselines").mkdir()
    (tmp_path / "elsewhere.json").write_text("{}")
    (root / "baselines" / "gate.json").symlink_to(tmp_path / "elsewhere.json")

    assert run(["check"]) == 2


def test_a_digest_names_the_content_of_a_file(tmp_path: Path):
    paths = [tmp_path / name for name in "abc"]
    for path, content in zip(paths, (b"\xff same", b"\xff same", b"\xfe other"), strict=True):
        path.write_bytes(content)

    first, same, other = map(baseline_digest, paths)

    assert first == same != other
    assert baseline_digest(tmp_path / "none.json") is None
