"""Requests to a provider: bound to one base URL and one key, deaf to the environment."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from ragate.clients.http.bounded_body import CHAT_BYTES, ENCODINGS, BoundedBody
from ragate.clients.http.error_mapping import Fault, FaultError, said_in, status_fault
from ragate.errors import ProviderError
from ragate.guards.secret_address import why_no_secret_at

if TYPE_CHECKING:
    import aiohttp


def bearer(key: str) -> Mapping[str, str]:
    """Return the header of a key."""
    return {"authorization": f"Bearer {key}"} if key else {}


@dataclass(frozen=True)
class Transport:
    """Where requests go, and the key that belongs there.

    Attributes:
        base_url: Where the API is; nothing is ever sent elsewhere.
        key: Sent to that host alone; "" for a server without keys.
        headers: From the key to the headers that are sent with it.
    """

    base_url: str
    key: SecretStr
    headers: Callable[[str], Mapping[str, str]] = bearer

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc

    def session(self, *, timeout_s: float, connections: int) -> aiohttp.ClientSession:
        """Return what sends to the base URL alone, repeats nothing and follows no redirect.

        Raises:
            OSError, ProviderError: as `authorization`.
        """
        from ragate.clients.http.session import provider_session

        headers = {
            "User-Agent": "ragate",
            "Accept": "application/json",
            "Accept-Encoding": ENCODINGS,
            **self.authorization,
        }
        base_url = self.base_url.rstrip("/")
        return provider_session(base_url, headers, connections=connections, connect_s=timeout_s)

    @cached_property
    def authorization(self) -> Mapping[str, str]:
        """Return the headers with the key.

        Raises:
            OSError: the host's name is unknown.
            ProviderError: a key does not go to this address.
        """
        key = self.key.get_secret_value()
        reason = why_no_secret_at(self.base_url) if key else ""
        if reason:
            raise ProviderError(
                f"no key is sent to {self.host}: {reason}",
                remedy="write https:// in base_url, or leave out key_env for a server without keys",
                fatal=True,
            )
        return self.headers(key)

    async def post(
        self,
        session: aiohttp.ClientSession,
        path: str,
        body: Mapping[str, Any],
        *,
        max_bytes: int = CHAT_BYTES,
    ) -> bytes:
        """Return the body of the answer to one request, unpacked.

        Raises:
            FaultError: it has a status of failure, or is cut off.
            MalformedError: it is packed as nobody asked for, or too large.
            aiohttp.ClientError, OSError: no answer came.
        """
        async with self.posted(session, path, body) as response:
            return await _whole(response, max_bytes)

    @asynccontextmanager
    async def posted(
        self, session: aiohttp.ClientSession, path: str, body: Mapping[str, Any]
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield the answer to one request, its body unread; raises as `post`."""
        url = f"{self.base_url.rstrip('/')}{path}"
        async with session.post(url, json=body, allow_redirects=False) as response:
            if not 200 <= response.status < 300:
                raise _refused(response, await _whole(response, CHAT_BYTES))
            yield response


async def body_parts(response: aiohttp.ClientResponse, max_bytes: int) -> AsyncIterator[bytes]:
    """Yield a body as it comes, unpacked; raises as `Transport.post`."""
    import aiohttp

    packed = ", ".join(response.headers.getall("Content-Encoding", ()))
    body = BoundedBody(packed, max_bytes)
    try:
        async for part in response.content.iter_any():
            yield body.feed(part)
    except (aiohttp.ClientError, OSError) as error:
        raise FaultError(Fault(f"broke off: the reply is cut off: {error}")) from error


async def _whole(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    return b"".join([part async for part in body_parts(response, max_bytes)])


def _refused(response: aiohttp.ClientResponse, content: bytes) -> FaultError:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):  # a page of HTML tells nobody anything
        body = None
    said = body.get("error", body) if isinstance(body, dict) else None
    code = said.get("code") if isinstance(said, dict) else None
    after = response.headers.get("Retry-After")
    return FaultError(
        status_fault(response.status, code=code, said=said_in(said), after=after), said
    )
