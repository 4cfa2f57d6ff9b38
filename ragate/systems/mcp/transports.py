"""Opening the client of a session: over the pipes of a server that is started, or over HTTP."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.session import SamplingFnT
from mcp.client.streamable_http import streamable_http_client

from ragate.systems._processes.process import Child, start
from ragate.systems.http.raw_reply import MAX_BYTES
from ragate.systems.mcp.pinned_http import PinnedTransport
from ragate.systems.mcp.stdio import stdio_streams

Opens = Callable[[], AbstractAsyncContextManager[Client]]


def over_stdio(
    argv: tuple[str, ...], sampling: SamplingFnT | None, *, on_start: Callable[[Child], None],
    **where: Any,
) -> Opens:  # fmt: skip
    """Return what starts a server and opens a session over its pipes.

    Args:
        on_start: Gets the process.
        where: The folder and the environment.
    """

    @asynccontextmanager
    async def opened() -> AsyncIterator[Client]:
        child = await start(argv, key="command", talks=True, **where)
        on_start(child)
        try:
            async with _client(stdio_streams(child), sampling) as client:
                yield client
        finally:
            await child.stop()

    return opened


def _client(streams: Any, sampling: SamplingFnT | None) -> Client:
    """Return the client; one that offers a model shakes hands as before 2026.

    Since the protocol of 2026-07-28 a server cannot ask its client in the middle of a call.
    """
    return Client(
        streams, sampling_callback=sampling, mode="auto" if sampling is None else "legacy"
    )


def over_http(url: str, transport: PinnedTransport, sampling: SamplingFnT | None) -> Opens:
    """Return what opens a session at an address."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Client]:
        async with httpx2.AsyncClient(
            transport=transport, trust_env=False, timeout=httpx2.Timeout(30.0, read=None)
        ) as http:
            streams = streamable_http_client(url, http_client=http, max_sse_event_size=MAX_BYTES)
            async with _client(streams, sampling) as client:
                yield client

    return opened
