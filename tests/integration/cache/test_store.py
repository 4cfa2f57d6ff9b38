from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ragate.cache import Cache, Draw
from ragate.cache.store import kept_draw
from ragate.core.hashing import digest
from ragate.errors import StorageError
from ragate.models import Score
from tests.integration.cache.cache_rows import KEY, fill

pytestmark = pytest.mark.integration


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


# A writer after the other, each from when the one before it has ended: its number, what it kept.
WRITERS = """
import os, sys
from pathlib import Path
from ragate.cache import Cache, Draw
from ragate.core.hashing import digest
for turn in range(int(sys.argv[2])):
    if os.fork() == 0:
        os.write(1, b"%d\\n" % os.getpid())
        with Cache(Path(sys.argv[1])) as cache:
            for number in range(turn * 100_000, (turn + 1) * 100_000):
                cache.put_draws({("", digest(number), 0): Draw(text=f"answer {number}")})
                os.write(1, b"%d\\n" % number)
        os._exit(0)
    os.wait()
    os.write(1, b"ended\\n")
"""


def writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_what_was_kept_is_found_by_another_process(path: Path) -> None:
    with Cache(path) as cache:
        fill(cache)

    with Cache(path) as cache:
        score = cache.judgements([KEY, digest("two")])[KEY]["faithfulness"]
        assert (score.value, score.reason) == (0.5, "é")
        draw = cache.draw("", KEY, 0)
        assert draw == Draw(text="so", prompt_tokens=3, cost_usd=0.25)
        assert cache.draw("", KEY, 2) is None
        assert cache.embeddings([KEY]) == {KEY: [0.5, -1.25]}


def test_nothing_acknowledged_is_lost_by_kill_9(path: Path) -> None:
    rng = random.Random(0)
    said: list[int] = []
    command = [sys.executable, "-c", WRITERS, str(path), "20"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(20):
            number = int(process.stdout.readline())
            said.append(int(process.stdout.readline()))
            time.sleep(rng.uniform(0.0, 0.03))
            os.kill(number, signal.SIGKILL)
            said += map(int, iter(process.stdout.readline, "ended\n"))
    assert process.returncode == 0

    with Cache(path, say=pytest.fail) as cache:
        lost = [number for number in said if cache.draw("", digest(number), 0) is None]
    assert len(said) > 20
    assert lost == []


def test_four_processes_write_at_once(path: Path) -> None:
    writers = [writer(path, turn * 1000, 100) for turn in range(4)]
    for process in writers:
        process.communicate(timeout=300)
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


def test_what_a_row_cannot_hold_is_left_out_and_harms_no_other(path: Path) -> None:
    said: list[str] = []
    with Cache(path, say=said.append) as cache:
        fill(cache)
        long = Score(metric="faithfulness", value=1.0, reason="x" * 17 * 1024**2)
        cache.put_judgements({digest("long"): {"faithfulness": long}})
        cache.put_embeddings({digest("large"): [1e39], digest("none"): []})
        cache.put_draws({("", digest("nul"), 0): Draw(text="\x00" * 4_000_000)})

        assert cache.embeddings([digest("large"), KEY]) == {KEY: [0.5, -1.25]}
        assert cache.judgements([digest("long")]) == {}
    assert said == []


@pytest.mark.parametrize("text", ["", "x" * (4 * 1024**2 + 1), "\ud800"])
def test_a_reply_that_no_row_can_hold_is_no_draw(text: str) -> None:
    assert kept_draw(text) is None
