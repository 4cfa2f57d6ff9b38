"""Connections to a provider, which nothing of the environment changes."""

from __future__ import annotations

from collections.abc import Mapping

import aiohttp

from ragate.support.authorities import authorities


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
        connector=aiohttp.TCPConnector(
            limit=connections,
            ssl=authorities() if base_url.startswith("https:") else True,
        ),
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect_s),
        auto_decompress=False,  # `BoundedBody` does it
        trust_env=False,
        skip_auto_headers=("accept", "accept-encoding", "user-agent"),
    )
