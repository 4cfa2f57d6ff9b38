"""A file is written whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ragate.errors import StorageError
from ragate.files.atomic_files import write_atomic, write_output


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "docs.json"
    path.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        write_atomic(path, b"new")

    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["docs.json"]


# Never the machine's own: root would replace them where this fails.
@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("ragate.files.atomic_files._DEVICES", {tmp_path / "dev"})
    (tmp_path / "dev").mkdir()
    (tmp_path / "led-to").write_bytes(b"before\n")
    (tmp_path / "dev" / "stderr").symlink_to(tmp_path / "led-to")
    return tmp_path / "dev" / "stderr"


def test_a_device_is_replaced_by_no_file(device: Path):
    with pytest.raises(StorageError, match="is a device"):
        write_atomic(device, b"new")

    assert device.is_symlink()


def test_a_device_that_a_user_names_is_written_to(device: Path):
    write_output(device, [b"report\n"])

    assert device.is_symlink()
    assert device.read_bytes() == b"before\nreport\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_that_a_user_names_is_written_to(tmp_path: Path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    write_output(path, [b"report\n"])

    assert os.read(reader, 100) == b"report\n"
    assert path.is_fifo()
    os.close(reader)


def test_a_file_that_a_user_names_is_replaced(tmp_path: Path):
    (tmp_path / "r.json").write_bytes(b"a longer one of before")

    write_output(tmp_path / "r.json", [b"new"])

    assert (tmp_path / "r.json").read_bytes() == b"new"
