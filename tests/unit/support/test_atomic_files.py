"""A file is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import StorageError
from ragate.support.atomic_files import write_atomic


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
