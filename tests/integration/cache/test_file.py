"""A file that is damaged, or is no cache at all."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ragate.cache import CACHE_NAME, Cache, Draw
from ragate.core.hashing import digest
from ragate.errors import StorageError
from tests.integration.cache.cache_rows import KEY, fill

pytestmark = pytest.mark.integration


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(20_000))


def text(path: Path) -> None:
    path.write_text("version https://example.org/pointer\n")


def a_folder(path: Path) -> None:
    path.mkdir()


def a_link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.write_bytes(b"of someone else")
    path.symlink_to(target)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def another_database(path: Path) -> None:
    with sqlite3.connect(path) as known:
        known.execute("CREATE TABLE secrets (a)")
    known.close()


def a_newer_version(path: Path) -> None:
    with Cache(path) as cache:
        fill(cache)
    known = sqlite3.connect(path)
    known.execute("PRAGMA user_version = 99")
    known.close()


def a_trigger(path: Path) -> None:
    with Cache(path) as cache:
        fill(cache)
    known = sqlite3.connect(path)
    known.execute("CREATE TRIGGER forge AFTER INSERT ON verdicts BEGIN DELETE FROM verdicts; END")
    known.commit()
    known.close()


def a_table_whose_name_is_bytes(path: Path) -> None:
    with Cache(path) as cache:
        fill(cache)
    # A row of the schema begins with the types of its cells: "table", and the name twice.
    table, name = 13 + 2 * len("table"), 13 + 2 * len("verdicts")
    content = path.read_bytes()
    assert content.count(bytes([table, name, name])) == 1
    # 1 less: as many bytes, and no text.
    path.write_bytes(content.replace(bytes([table, name, name]), bytes([table, name - 1, name])))


SPOILED = [
    garbage,
    text,
    a_folder,
    a_link,
    a_pipe,
    another_database,
    a_newer_version,
    a_trigger,
    a_table_whose_name_is_bytes,
]


@pytest.mark.parametrize("spoil", SPOILED)
def test_a_file_that_is_no_cache_is_moved_aside_with_a_note(
    path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(path)
    said: list[str] = []

    with Cache(path, say=said.append) as cache:
        assert cache.judgements([KEY]) == {}
        fill(cache)
        assert cache.judgements([KEY])

    assert len(said) == 1
    assert "no usable cache" in said[0]
    assert list(path.parent.glob(f"{CACHE_NAME}.unusable-*"))


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Return a database with bytes changed, half of the time in the pages of its schema."""
    spoilt = bytearray(content)
    reach = 8192 if draw.random() < 0.5 else len(spoilt)
    for _ in range(draw.choice([1, 3, 20, 200])):
        spoilt[draw.randrange(reach)] = draw.randrange(256)
    return bytes(spoilt if draw.random() < 0.9 else spoilt[: draw.randrange(len(spoilt))])


def test_whatever_page_is_damaged_the_work_goes_on_or_ends_in_our_own_error(path: Path) -> None:
    with Cache(path) as cache:
        fill(cache)
        cache.put_draws({("", digest(n), 0): Draw(text="x" * 200) for n in range(200)})
    content, draw = path.read_bytes(), random.Random(7)

    for _ in range(120):
        for file in path.parent.iterdir():
            file.unlink()
        path.write_bytes(damaged(content, draw))
        with Cache(path) as cache:
            fill(cache)
            cache.draw("", KEY, 0)
            cache.judgements([KEY])
            with contextlib.suppress(StorageError):  # an export reads what was never looked up
                list(cache.rows("draws"))


def test_a_schema_that_is_not_even_text_is_moved_aside(path: Path) -> None:
    with Cache(path) as cache:
        fill(cache)
    content = path.read_bytes()
    assert content.count(b"CREATE TABLE verdicts") == 1
    path.write_bytes(content.replace(b"CREATE TABLE verdicts", b"CREATE \xe9\xff\xfe verdicts"))
    said: list[str] = []

    with Cache(path, say=said.append) as cache:
        fill(cache)

    assert "its schema is damaged" in said[0]


def test_a_file_that_breaks_in_the_middle_is_replaced_on_the_way(path: Path) -> None:
    with Cache(path) as cache:
        cache.put_draws({("", digest(n), 0): Draw(text="x" * 500) for n in range(2000)})
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(size - 8192))
    said: list[str] = []

    with Cache(path, say=said.append) as cache:
        for number in range(2000):
            cache.draw("", digest(number), 0)
        fill(cache)
        assert cache.draw("", KEY, 0)

    assert len(said) == 1


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageError, match="RAGATE_STATE_DIR"):
        Cache(tmp_path / "file" / CACHE_NAME).judgements([KEY])
