"""How fast, how cheap and how robust the client layer is, against a loopback server.

    python benchmarks/client_layer.py [--quick]

The server runs in a process of its own, so that CPU time is the client's alone. On a machine that
is busy with other work the wall times are too long, and the CPU times hardly.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ragate.cache import Cache, Draw
from ragate.clients.budget import Tally, no_caps
from ragate.clients.memoised import Memo, MemoisedChat
from ragate.clients.openai import OpenAIClient
from ragate.core.hashing import digest
from ragate.errors import ProviderError
from ragate.protocols import ChatClient, ChatReply, ChatRequest
from tests.servers.faults import BROKEN_JSON, Chaos, RateLimit, status
from tests.servers.openai_server import never_the_same, openai_server

PROMPT = "x" * 8000


@contextmanager
def server_process(latency_s: float) -> Iterator[str]:
    """Yield the address of a server in a process of its own."""
    command = [sys.executable, "-m", "tests.servers.openai_server", str(latency_s)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(timeout=10)


def questions(count: int) -> list[ChatRequest]:
    return [ChatRequest("m", (("user", f"{number} {PROMPT}"),)) for number in range(count)]


async def ask_all(client: ChatClient, count: int) -> list[ChatReply]:
    """Ask `count` different questions at once; the client limits how many are under way."""
    return await asyncio.gather(*(client(one) for one in questions(count)))


def timed(run: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Return wall and CPU seconds."""

    async def main() -> None:
        await run()

    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(main())
    return time.perf_counter() - wall, time.process_time() - cpu


def speed(count: int, concurrency: int, latency_s: float, *, remember: bool) -> str:
    """Time `count` calls, with or without keeping every answer durably."""
    with server_process(latency_s) as url, tempfile.TemporaryDirectory() as folder:
        client = OpenAIClient(base_url=url, key="sk-canary", concurrency=concurrency)

        async def run() -> None:
            with Cache(Path(folder) / "cache.sqlite") as cache:
                memo = Memo(cache=cache)
                await ask_all(MemoisedChat(client, memo, "p") if remember else client, count)
            await client.aclose()

        timed(lambda: client(questions(1)[0]))  # imports and the first connection
        wall, cpu = timed(run)
    least = count * latency_s / concurrency
    how = "remembered" if remember else "plain"
    return (
        f"{count} calls of {latency_s * 1000:.0f} ms at {concurrency}, {how}: wall {wall:.2f} s "
        f"({wall / least:.2f} x {least:.2f} s), CPU {cpu / count * 1000:.2f} ms a call"
    )


def counted(
    count: int, concurrency: int, **server: object
) -> tuple[float, int, Tally, list[object]]:
    """Return seconds, requests, the tally and what came back (an exception where nothing did)."""
    budget = no_caps()
    with openai_server() as fake:
        fake.keep = False
        for name, value in server.items():
            setattr(fake, name, value)
        client = OpenAIClient(
            base_url=fake.base_url,
            concurrency=concurrency,
            timeout_s=2.0,
            budget=budget,
            deadline_s=60.0,
        )

        async def run() -> list[object]:
            found = await asyncio.gather(
                *(client(one) for one in questions(count)), return_exceptions=True
            )
            await client.aclose()
            return list(found)

        start = time.perf_counter()
        found = asyncio.run(run())
        return time.perf_counter() - start, fake.seen, budget.snapshot(), found


def limited(count: int, rate: float, concurrency: int, burst: float, *, tell: bool) -> str:
    limit = RateLimit(rate, burst, tell=tell)
    wall, _, tally, found = counted(count, concurrency, limit=limit, latency_s=0.05)
    lost = sum(isinstance(one, Exception) for one in found)
    said = "with" if tell else "without"
    return (
        f"limit {rate:.0f}/s, burst {burst:.0f}, {said} Retry-After: {count} calls in {wall:.1f} s "
        f"({wall / (count / rate):.2f} x the limit's time), "
        f"{tally.rejected / count:.2f} rejected per accepted, {lost} lost"
    )


def faulty(count: int, share: float) -> str:
    wall, sent, _, found = counted(
        count, 16, chaos=Chaos(share, seed=1), latency_s=0.05, hang_s=2.5, reply=never_the_same()
    )
    lost = sum(isinstance(one, Exception) for one in found)
    return (
        f"{share:.0%} faults of every kind: {count} calls, {lost} lost, {sent / count:.3f} "
        f"requests a call, {wall:.1f} s"
    )


def out(kind: str, **server: object) -> str:
    wall, sent, _, found = counted(200, 16, **server)
    fatal = sum(isinstance(one, ProviderError) and one.fatal for one in found)
    return f"{kind}: {sent} requests for 200 calls, {fatal} ended as fatal, {wall:.1f} s"


def kills(times: int) -> str:
    """Kill a writer at random points; count what it had acknowledged and the file lost."""
    lost = acknowledged = 0
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache.sqlite"
        for number in range(times):
            said = killed_writer(path, first=number * 100_000, after_s=rng.uniform(0.0, 0.05))
            acknowledged += len(said)
            with Cache(path) as cache:
                lost += sum(cache.draw("", digest(one), 0) is None for one in said)
    return f"kill -9 at {times} random points: {acknowledged} acknowledged, {lost} lost"


def killed_writer(path: Path, *, first: int, after_s: float) -> list[int]:
    """Start a writer, kill it `after_s` after its first word, return what it had acknowledged."""
    command = [sys.executable, __file__, "--write", str(path), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        begun = process.stdout.readline()
        time.sleep(after_s)
        os.kill(process.pid, signal.SIGKILL)
        lines = [begun, *process.stdout.read().split("\n")[:-1]]
    return [int(line) for line in lines if line.strip()]


def write(path: Path, first: int) -> None:
    with Cache(path) as cache:
        for number in range(first, first + 100_000):
            cache.put_draws({("", digest(number), 0): Draw(text=f"answer {number}")})
            os.write(1, f"{number}\n".encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", nargs=2)
    options = parser.parse_args()
    if options.write:
        write(Path(options.write[0]), int(options.write[1]))
        return
    scale = 0.25 if options.quick else 1.0
    for remember in (False, True):
        print(speed(200, 16, 0.2, remember=remember), flush=True)
        print(speed(1000, 64, 0.2, remember=remember), flush=True)
    for rate in (10.0, 50.0):
        for tell in (True, False):
            count = math.ceil(20 * rate * scale)
            print(limited(count, rate, 16, rate, tell=tell), flush=True)
    print(faulty(round(400 * scale), 0.1), flush=True)
    print(out("every answer malformed", chaos=Chaos(1.0, kinds=[BROKEN_JSON])), flush=True)
    print(out("a wrong key", chaos=Chaos(1.0, kinds=[status(401)])), flush=True)
    print(out("the service is out", chaos=Chaos(1.0, kinds=[status(503)])), flush=True)
    print(kills(round(200 * scale)), flush=True)


if __name__ == "__main__":
    main()
