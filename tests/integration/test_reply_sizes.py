"""What a service sends is bounded at each edge, packed or not; too much is its own fault."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from ragate.clients.openai import OpenAIClient
from ragate.errors import ProviderError
from ragate.protocols import ChatRequest
from tests.integration.reply_sizes import MEGABYTE, RETRY, SLACK, SOCKETS, refused
from tests.servers.oversized import Oversized, bomb, oversized_server
from tests.unit.systems.using import ask, message

pytestmark = pytest.mark.integration


CHAT = ChatRequest("m", (("user", "?"),))


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


@pytest.mark.parametrize("name", CALLS)
def test_no_more_of_a_reply_is_read_than_its_kind_may_hold(name: str):
    call, megabytes = CALLS[name]
    with oversized_server(Oversized()) as server:
        error, peak = asked(server, call)

    assert "larger than" in str(error)
    assert not error.fatal
    assert server.requests == 3
    assert server.sent < 3 * (megabytes * MEGABYTE + SOCKETS)
    assert peak < 4 * megabytes * MEGABYTE + SLACK


@pytest.mark.parametrize("name", CALLS)
def test_no_more_is_unpacked_than_a_reply_may_hold(name: str):
    call, megabytes = CALLS[name]
    with oversized_server(Oversized(packed=bomb())) as server:
        error, peak = asked(server, call)

    assert "larger than" in str(error)
    assert peak < 4 * megabytes * MEGABYTE + SLACK


def test_a_service_under_test_cannot_unpack_to_more_than_its_limit(tmp_path: Path):
    with oversized_server(Oversized(packed=bomb())) as server:
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
