from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragate.contrib.transfer import index_file
from ragate.contrib.transfer.index_file import Content, pack, unpack
from ragate.errors import StorageError
from ragate.systems.pgvector.chunking import Chunk

PARTS = {"version": "2", "embedder": "hashing:1:4"}
HASH = "0123456789abcdef"


def content(*, vectors: bool = True) -> Content:
    chunks = [Chunk("a.md", 0, "Ein Öl.", "Titel", "Oben > Unten"), Chunk("a.md", 1, "Zwei.")]
    made = [np.array([0.1, -2, 3e-8, 4], dtype=np.float32), np.zeros(4, dtype=np.float32)]
    return Content(
        documents=[("a.md", HASH, {"lang": ["de"]}), ("leer.md", HASH, {})],
        parents=[Chunk("a.md", 0, "Ein Öl. Zwei.")],
        chunks=chunks,
        vectors=made if vectors else [],
    )


def written(root: Path, data: bytes) -> Path:
    path = root / "index.gz"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("vectors", [True, False])
def test_what_is_packed_is_unpacked_bit_by_bit(tmp_path: Path, vectors: bool) -> None:
    before = content(vectors=vectors)

    header, after = unpack(written(tmp_path, pack(before, PARTS)))

    assert (after.documents, after.parents, after.chunks) == (
        before.documents,
        before.parents,
        before.chunks,
    )
    assert [one.tobytes() for one in after.vectors] == [one.tobytes() for one in before.vectors]
    assert header.parts == PARTS
    assert header.dimension == (4 if vectors else None)


def test_the_same_index_gives_the_same_bytes() -> None:
    assert pack(content(), PARTS) == pack(content(), PARTS)


def lines_of(data: bytes) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(data).splitlines()]


def sealed(rows: list[Any]) -> bytes:
    """Return a file of these rows with a right checksum."""
    text = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    seal = {"sha256": hashlib.sha256(text).hexdigest()}
    return gzip.compress(text + json.dumps(seal).encode() + b"\n")


def changed(change: Callable[[list[Any]], Any]) -> bytes:
    rows = lines_of(pack(content(), PARTS))[:-1]
    change(rows)
    return sealed(rows)


def replace(row: int, place: int, value: Any) -> Callable[[list[Any]], None]:
    def change(rows: list[Any]) -> None:
        rows[row][place] = value

    return change


def header(**fields: Any) -> Callable[[list[Any]], None]:
    def change(rows: list[Any]) -> None:
        rows[0].update(fields)

    return change


NAN = base64.b64encode(np.array([1, np.nan, 2, 3], dtype="<f4").tobytes()).decode()
SHORT = base64.b64encode(np.zeros(3, dtype="<f4").tobytes()).decode()


def test_a_sealed_file_that_was_not_changed_is_sound(tmp_path: Path) -> None:
    unpack(written(tmp_path, changed(lambda rows: rows)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (header(ragate_index=2), "not an index file of this version"),
        (header(chunks=1), "more than announced|another number of rows"),
        (header(documents=3), "another number of rows"),
        (header(corpus_hash="ff"), "not those it was made from"),
        (header(dimension=10**9), "dimension"),
        (header(more=1), "more"),
        (replace(1, 2, "not hex!"), "hash"),
        (replace(1, 3, {"a": "b"}), "metadata"),
        (replace(4, 1, "none.md"), "belongs to no document"),
        (replace(4, 2, 1), "stands in it twice"),
        (replace(4, 2, -1), "a position is no number"),
        (replace(4, 2, True), "a position is no number"),
        (replace(4, 5, "a\0b"), "NUL"),
        (replace(4, 5, 7), "a text of a chunk is none"),
        (replace(4, 6, 9), "belongs to no passage"),
        (replace(4, 7, NAN), "finite"),
        (replace(4, 7, SHORT), "is not 4 finite numbers"),
        (replace(4, 7, "%%%"), "no sound index file"),
        (replace(4, 0, "x"), "unknown kind of row"),
        (lambda rows: rows[4].pop(), "no sound index file"),
        (lambda rows: rows.pop(), "another number of rows"),
        (lambda rows: rows.append({"a": 1}), "a row is no list"),
        (lambda rows: rows.append([]), "no sound index file"),
    ],
)
def test_a_file_that_was_tampered_with_is_refused_although_its_checksum_is_right(
    tmp_path: Path, change: Callable[[list[Any]], Any], message: str
) -> None:
    with pytest.raises(StorageError, match=message):
        unpack(written(tmp_path, changed(change)))


def test_any_flipped_or_missing_byte_is_noticed(tmp_path: Path) -> None:
    whole = pack(content(), PARTS)
    for place in range(10, len(whole), 7):
        broken = whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :]
        with pytest.raises(StorageError):
            unpack(written(tmp_path, broken))
        with pytest.raises(StorageError):
            unpack(written(tmp_path, whole[:place]))


@pytest.mark.parametrize("data", [b"", b"text", b"\x80\x04N.", gzip.compress(b"", mtime=0)])
def test_what_is_no_index_file_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(StorageError, match=r"not an index file|no sound index file"):
        unpack(written(tmp_path, data))


@pytest.mark.parametrize("limit", ["MAX_LINE", "MAX_UNPACKED"])
def test_a_file_that_unpacks_to_more_than_an_index_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(index_file, limit, 10_000)
    bomb = sealed([lines_of(pack(content(), PARTS))[0], "x" * 9_000, "x" * 1_000_000])

    with pytest.raises(StorageError, match="larger than any index may be"):
        unpack(written(tmp_path, bomb))
