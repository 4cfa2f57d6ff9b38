"""A run that is killed goes on where it stopped: only calls in flight are paid for twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.servers.openai_server import FakeOpenAI, never_the_same, openai_server

pytestmark = pytest.mark.integration
COUNT, CONCURRENCY = 60, 4
UNANSWERED = 2  # calls that a server gets before its first reply
RUN = """
import asyncio, sys
from pathlib import Path
from ragate.cache import Cache
from ragate.clients.memoised import Memo, MemoisedChat
from ragate.clients.openai import OpenAIClient
from ragate.protocols import ChatRequest
async def main(url, path, count, concurrency):
    with Cache(path) as cache:
        client = OpenAIClient(base_url=url, concurrency=concurrency)
        chat = MemoisedChat(client, Memo(cache), "p")
        gate = asyncio.Semaphore(concurrency)  # as a pass over the samples has one
        async def one(n):
            async with gate:
                return (await chat(ChatRequest("m", (("user", f"question {n}"),)))).text
        print(*sorted(await asyncio.gather(*map(one, range(count)))), sep="\\n")
        await client.aclose()
asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
"""


@contextmanager
def start(url: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", RUN, url, str(path), str(COUNT), str(CONCURRENCY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()  # what waits for a reply that never comes would wait for ever


def wait_for_calls(server: FakeOpenAI, count: int) -> None:
    ends = time.monotonic() + 60.0
    while server.seen < count:
        assert time.monotonic() < ends, f"{server.seen} of {count} calls"
        time.sleep(0.005)


def holds_from(server: FakeOpenAI, count: int, killed: Event) -> Callable[[dict[str, Any]], str]:
    """Return replies of which those to a request and all after it come when the run is killed."""
    answer = never_the_same()

    def reply(body: dict[str, Any]) -> str:
        if server.seen >= count:
            killed.wait(300)
        return answer(body)

    return reply


def test_a_killed_run_pays_again_only_for_what_was_in_flight(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with openai_server() as server:
        for part in (1, 2):
            server.reply = holds_from(server, part * COUNT // 3, killed := Event())
            with start(server.base_url, path) as process:
                wait_for_calls(server, part * COUNT // 3)
                os.kill(process.pid, signal.SIGKILL)
            killed.set()
        killed_at = server.seen
        server.reply = never_the_same()
        with start(server.base_url, path) as process:
            first, _ = process.communicate(timeout=300)
        paid = server.seen
        with start(server.base_url, path) as process:
            second, _ = process.communicate(timeout=300)

        assert COUNT // 3 < killed_at < COUNT
        assert COUNT <= paid <= COUNT + 2 * CONCURRENCY
        assert server.seen == paid
    assert len(first.splitlines()) == COUNT
    assert second == first


def test_two_at_once_ask_each_question_once(tmp_path: Path) -> None:
    path, answer = tmp_path / "cache.sqlite", never_the_same()

    def slow(body: dict[str, Any]) -> str:
        time.sleep(0.02)
        return answer(body)

    with openai_server() as server:
        server.reply = slow
        with start(server.base_url, path) as one, start(server.base_url, path) as other:
            texts = [process.communicate(timeout=300)[0] for process in (one, other)]

        assert server.seen == COUNT
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) == COUNT


def test_who_is_killed_while_another_waits_is_not_waited_for(tmp_path: Path) -> None:
    path, asked = tmp_path / "cache.sqlite", never_the_same()
    with openai_server() as server:
        server.reply = holds_from(server, 0, killed := Event())
        with start(server.base_url, path) as one:
            wait_for_calls(server, UNANSWERED)
            with start(server.base_url, path) as other:
                time.sleep(0.5)
                assert server.seen == UNANSWERED
                server.reply = asked
                one.kill()
                text, _ = other.communicate(timeout=60)
        killed.set()

        assert server.seen == COUNT + UNANSWERED
    assert len(text.splitlines()) == COUNT
