"""Connections to a provider, which nothing of the environment changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp

from ragate.guards.authorities import authorities

_HEAD_BYTES = 100_000  # of a line of a reply's head; aiohttp takes 8,190 of its own accord


class _Connector(aiohttp.TCPConnector):
    async def connect(self, *args: Any, **kwargs: Any) -> Any:
        """Return a connection, none that its server has closed: aiohttp repeats no POST."""
        for _ in range(2):  # one turn of the loop to read that, one to act on it
            await asyncio.sleep(0)
        return await super().connect(*args, **kwargs)


def provider_session(
    base_url: str, headers: Mapping[str, str], *, connections: int, connect_s: float
) -> aiohttp.ClientSession:
    """Return a session that unpacks nothing, keeps no cookie and adds no header of its own.

    Args:
        base_url: Where its requests go.
        headers: What each of them has beside its own.
        connections: Requests under way at once, at most.
        connect_s: Seconds until a server must have been reached.
    """
    return aiohttp.ClientSession(
        connector=_Connector(
            limit=connections,
            keepalive_timeout=4.0,  # many servers close what was idle for 5 s
            ssl=authorities() if base_url.startswith("https:") else True,
        ),
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect_s),
        max_line_size=_HEAD_BYTES,
        max_field_size=_HEAD_BYTES,
        auto_decompress=False,  # `BoundedBody` does it
        trust_env=False,
        skip_auto_headers=("accept", "accept-encoding", "user-agent"),
    )


def words_of(error: Exception) -> str:
    """Return what an error says, without what aiohttp makes up: a status, an object of its own."""
    if isinstance(error, aiohttp.ClientResponseError):
        return f"not readable as HTTP: {error.message}"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the server disconnected"
    return str(error)
