"""What a service sends is bounded at each edge, packed or not; too much is its own fault."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from ragate.clients.budget import no_caps
from ragate.clients.http.retry import Retry
from ragate.clients.openai import OpenAIClient
from ragate.errors import ProviderError
from ragate.protocols import ChatRequest
from ragate.recorder.proxy.aiohttp_upstream import open_channel
from ragate.recorder.proxy.request_identity import Kind, Request
from ragate.recorder.proxy.upstream import Upstream
from tests.servers.oversized import Oversized, bomb, oversized_server
from tests.unit.systems.using import ask, message

pytestmark = pytest.mark.integration

MEGABYTE = 1024**2
SLACK = 8 * MEGABYTE  # what the sockets between the two hold
CHAT = ChatRequest("m", (("user", "?"),))


async def no_pause(_seconds: float) -> None:
    return


RETRY = Retry(sleep=no_pause)
Call = Callable[[OpenAIClient], Coroutine[Any, Any, object]]
CALLS: dict[str, tuple[Call, float]] = {
    "chat": (lambda client: client(CHAT), 8),
    "embeddings": (lambda client: client.embed(["a", "b"], model="m", dimensions=1024), 1.07),
    "embeddings without dimensions": (lambda client: client.embed(["a"] * 8, model="m"), 3.1),
    "reranking": (lambda client: client.rerank("a", ["b"], model="m"), 8),
}


def asked(server: Oversized, call: Call) -> tuple[ProviderError, int]:
    """Return what a call raises, and the most memory that it took meanwhile."""

    async def main() -> None:
        client = OpenAIClient(base_url=server.base_url, retry=RETRY)
        try:
            await call(client)
        finally:
            await client.aclose()

    return refused(main)


def refused(main: Callable[[], Coroutine[Any, Any, None]]) -> tuple[ProviderError, int]:
    tracemalloc.start()
    try:
        with pytest.raises(ProviderError) as caught:
            asyncio.run(main())
        return caught.value, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", CALLS)
def test_no_more_of_a_reply_is_read_than_its_kind_may_hold(name: str):
    call, megabytes = CALLS[name]
    with oversized_server(Oversized()) as server:
        error, peak = asked(server, call)

    assert "larger than" in str(error)
    assert not error.fatal
    assert server.requests == 3
    assert server.sent < 3 * (megabytes * MEGABYTE + SLACK)
    assert peak < 4 * megabytes * MEGABYTE + SLACK


@pytest.mark.parametrize("name", CALLS)
def test_no_more_is_unpacked_than_a_reply_may_hold(name: str):
    call, megabytes = CALLS[name]
    with oversized_server(Oversized(packed=bomb(300))) as server:
        error, peak = asked(server, call)

    assert "larger than" in str(error)
    assert peak < 4 * megabytes * MEGABYTE + SLACK


def recorded(server: Oversized, request: Request, *, streamed: bool) -> tuple[ProviderError, int]:
    async def main() -> None:
        upstream = Upstream(
            open_channel(
                base_url=server.base_url,
                key="",
                timeout_s=60.0,
                deadline_s=120.0,
                concurrency=1,
                budget=no_caps(),
                retry=RETRY,
            )
        )

        async def send(_event: dict[str, Any]) -> None:
            return

        try:
            await (upstream.stream(request, send) if streamed else upstream.ask(request))
        finally:
            await upstream.aclose()

    return refused(main)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
def test_what_the_recorder_passes_on_is_bounded_too(packed: bool, streamed: bool):
    body = {"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": streamed}
    state = Oversized(packed=bomb(300)) if packed else Oversized()
    with oversized_server(state) as server:
        error, peak = recorded(server, Request(Kind.CHAT, body), streamed=streamed)

    assert "larger than" in str(error)
    assert server.sent < 3 * (32 * MEGABYTE + SLACK)
    assert peak < 4 * 32 * MEGABYTE


def test_a_service_under_test_cannot_unpack_to_more_than_its_limit(tmp_path: Path):
    with oversized_server(Oversized(packed=bomb(300))) as server:
        host = server.base_url.split("/")[2]
        settings = {"url": f"{server.base_url}/ask"}
        tracemalloc.start()
        try:
            (output,) = ask("http", settings, tmp_path, http_hosts=(host,))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert "answered with more than 16777216 bytes" in message(output)
    assert peak < 64 * MEGABYTE
