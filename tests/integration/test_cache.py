from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragate.cache import CACHE_NAME, Cache, Draw, export_cache, import_cache
from ragate.core.hashing import digest
from ragate.errors import StorageError, UsageError
from ragate.models import Score, not_applicable, unscored

pytestmark = pytest.mark.integration
KEY = digest("one")
WRITER = """
import os, sys
from pathlib import Path
from ragate.cache import Cache, Draw
from ragate.core.hashing import digest
first, count = int(sys.argv[2]), int(sys.argv[3])
with Cache(Path(sys.argv[1])) as cache:
    for number in range(first, first + count):
        cache.put_draws({("", digest(number), 0): Draw(text=f"answer {number}")})
        os.write(1, b"%d\\n" % number)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / CACHE_NAME


def writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def fill(cache: Cache) -> None:
    cache.put_verdicts({KEY: {"faithfulness": Score(metric="faithfulness", value=0.5, reason="é")}})
    cache.put_draws({("", KEY, 0): Draw(text="so", prompt_tokens=3, cost_usd=0.25)})
    cache.put_draws({("recording", KEY, 2): Draw(text="otherwise")})
    cache.put_embeddings({KEY: [0.5, -1.25]})


def test_what_was_kept_is_found_by_another_process(path: Path) -> None:
    with Cache(path) as cache:
        fill(cache)

    with Cache(path) as cache:
        score = cache.verdicts([KEY, digest("two")])[KEY]["faithfulness"]
        assert (score.value, score.reason) == (0.5, "é")
        draw = cache.draw("", KEY, 0)
        assert draw == Draw(text="so", prompt_tokens=3, cost_usd=0.25)
        assert cache.draw("", KEY, 2) is None
        assert cache.embeddings([KEY]) == {KEY: [0.5, -1.25]}


def test_an_unscored_verdict_is_never_kept(path: Path) -> None:
    with Cache(path) as cache:
        cache.put_verdicts(
            {KEY: {"a": unscored("a", "provider out"), "b": not_applicable("b", "no reference")}}
        )

        assert cache.verdicts([KEY]) == {KEY: {"b": not_applicable("b", "no reference")}}


def test_nothing_acknowledged_is_lost_by_kill_9(path: Path) -> None:
    rng = random.Random(0)
    said: list[int] = []
    for turn in range(20):
        with writer(path, turn * 100_000, 100_000) as process:
            assert process.stdout is not None
            begun = process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.03))
            os.kill(process.pid, signal.SIGKILL)
            said += map(int, (begun + process.stdout.read()).split("\n")[:-1])

    with Cache(path, say=pytest.fail) as cache:
        lost = [number for number in said if cache.draw("", digest(number), 0) is None]
    assert len(said) > 20
    assert lost == []


def test_four_processes_write_at_once(path: Path) -> None:
    writers = [writer(path, turn * 1000, 100) for turn in range(4)]
    for process in writers:
        process.communicate(timeout=50)
    assert [process.returncode for process in writers] == [0] * 4

    with Cache(path) as cache:
        assert cache.info().rows["draws"] == 400


def test_threads_share_one_cache(path: Path) -> None:
    with Cache(path) as cache:

        def work(first: int) -> None:
            for number in range(first, first + 20):
                cache.put_embeddings({digest(number): [1.0]})
                cache.embeddings([digest(number)])

        threads = [threading.Thread(target=work, args=(turn * 100,)) for turn in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert cache.info().rows["embeddings"] == 80


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


@pytest.mark.parametrize(
    "spoil",
    [garbage, text, a_folder, a_link, a_pipe, another_database, a_newer_version, a_trigger],
)
def test_a_file_that_is_no_cache_is_moved_aside_with_a_note(
    path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(path)
    said: list[str] = []

    with Cache(path, say=said.append) as cache:
        assert cache.verdicts([KEY]) == {}
        fill(cache)
        assert cache.verdicts([KEY])

    assert len(said) == 1
    assert "no usable cache" in said[0]
    assert list(path.parent.glob(f"{CACHE_NAME}.unusable-*"))


def test_a_write_that_fails_is_said_leaves_nothing_of_it_and_holds_no_lock(path: Path) -> None:
    many = {("", digest(n), 0): Draw(text="x" * 4000) for n in range(500)}
    with Cache(path) as cache, Cache(path) as other:
        fill(cache)
        cache._run(lambda known: known.execute("PRAGMA max_page_count = 40"))

        with pytest.raises(StorageError, match="full"):
            cache.put_draws(many)

        assert cache.info().rows["draws"] == 2
        other.put_draws({("", digest("later"), 0): Draw(text="y")})
        assert cache.draw("", digest("later"), 0)
        assert cache.draw("", KEY, 0)


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
            cache.verdicts([KEY])
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


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("verdicts", "score", '{"value": NaN}'),
        ("verdicts", "score", '{"value": 1e999}'),
        ("verdicts", "score", '{"value": "0.5"'),
        ("verdicts", "score", "[" * 100_000),
        ("verdicts", "score", b"\xff\xfe"),
        ("draws", "reply", '{"text": ""}'),
        ("draws", "reply", '{"text": "a", "cost_usd": -1}'),
        ("draws", "reply", b"\xff"),
        ("embeddings", "vector", b"\x00\x00\x80\x7f"),
        ("embeddings", "vector", b"123"),
        ("embeddings", "vector", "text"),
        ("embeddings", "vector", b""),
    ],
)
def test_a_row_that_does_not_fit_is_no_row(
    path: Path, table: str, column: str, value: object
) -> None:
    with Cache(path) as cache:
        fill(cache)
        known = sqlite3.connect(path)
        known.execute(f"UPDATE {table} SET {column} = ?", (value,))
        known.commit()
        known.close()

        found = {
            "verdicts": cache.verdicts([KEY]),
            "draws": cache.draw("", KEY, 0),
            "embeddings": cache.embeddings([KEY]),
        }
        assert not found[table]


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageError, match="RAGATE_STATE_DIR"):
        Cache(tmp_path / "file" / CACHE_NAME).verdicts([KEY])


def test_a_key_that_is_no_digest_is_a_mistake_of_the_caller(path: Path) -> None:
    with pytest.raises(ValueError, match="no digest"):
        Cache(path).put_embeddings({"../secret": [1.0]})


def test_an_export_read_elsewhere_gives_the_same_cache(path: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "cache.jsonl", tmp_path / "other.sqlite"
    with Cache(path) as cache:
        fill(cache)
        assert export_cache(cache, file) == 4

    with Cache(other) as cache:
        assert import_cache(cache, file) == 4
        assert export_cache(cache, tmp_path / "again.jsonl") == 4
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{}", "no verdict, draw or embedding"),
        ('{"embedding": "x", "vector": ""}', "finite 32-bit numbers"),
        (f'{{"embedding": "{KEY}", "vector": "AADAfw=="}}', "finite 32-bit numbers"),
        (f'{{"embedding": "{KEY}", "vector": 7}}', "base64"),
        ('{"embedding": "../x", "vector": "AACAPw=="}', "digest"),
        (f'{{"verdict": "{KEY}", "criterion": "", "score": {{}}}}', "criterion"),
        (f'{{"verdict": "{KEY}", "criterion": "a", "score": {{"value": "1"}}}}', "score"),
        (f'{{"verdict": "{KEY}", "criterion": "a", "score": {{"value": NaN}}}}', "NaN"),
        (f'{{"draw": "{KEY}", "session": "", "number": true, "reply": {{}}}}', "number"),
        (f'{{"draw": "{KEY}", "session": "", "number": 0, "reply": {{}}}}', "reply"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[1,", "not JSON"),
    ],
)
def test_an_import_is_read_strictly_and_all_or_nothing(
    path: Path, tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "bad.jsonl"
    good = f'{{"embedding": "{digest(7)}", "vector": "AACAPw=="}}'
    file.write_text(f'{{"ragate_cache": 1}}\n{good}\n{line}\n')

    with Cache(path) as cache:
        with pytest.raises(UsageError, match=message) as caught:
            import_cache(cache, file)
        assert cache.info().rows["embeddings"] == 0
    assert f"{file}:3" in str(caught.value)


@pytest.mark.parametrize("header", ["", "[]\n", '{"ragate_cache": 2}\n', '{"other": 1}\n'])
def test_a_file_of_another_kind_is_not_imported(path: Path, tmp_path: Path, header: str) -> None:
    (tmp_path / "other.jsonl").write_text(header)

    with Cache(path) as cache, pytest.raises(UsageError, match="not an export"):
        import_cache(cache, tmp_path / "other.jsonl")
