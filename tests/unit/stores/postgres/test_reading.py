"""Files of a run in parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import StorageError
from ragate.stores.postgres.reading import MOST_BYTES, Piece, pieces_of


def test_a_file_is_cut_into_parts_that_follow_one_another(tmp_path: Path) -> None:
    text = bytes(range(256)) * (MOST_BYTES // 128)
    (tmp_path / "outputs.jsonl").write_bytes(text + b"end")

    parts = list(pieces_of(tmp_path, "outputs.jsonl"))

    assert [(piece.part, piece.size) for piece in parts] == [
        (0, MOST_BYTES),
        (1, MOST_BYTES),
        (2, 3),
    ]
    assert b"".join(piece.read(tmp_path) for piece in parts) == text + b"end"


def test_what_came_later_begins_where_the_last_part_ended(tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_bytes(b"12345")

    (piece,) = pieces_of(tmp_path, "outputs.jsonl", part=4, offset=3)

    assert (piece.part, piece.read(tmp_path)) == (4, b"45")


def test_a_file_that_is_not_there_has_no_part(tmp_path: Path) -> None:
    assert list(pieces_of(tmp_path, "report.json")) == []


def test_a_file_that_became_shorter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_bytes(b"123")

    with pytest.raises(StorageError, match=r"outputs\.jsonl: became shorter"):
        Piece("outputs.jsonl", 0, 0, 5).read(tmp_path)
