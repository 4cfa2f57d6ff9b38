"""The `openai` package, made deaf to the environment and bound to one host."""

from __future__ import annotations

import gc
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from ragate.clients.http.bounded_body import CHAT_BYTES, ENCODINGS, reply_of_at_most
from ragate.clients.http.error_mapping import Fault, outcome
from ragate.errors import ProviderError
from ragate.guards.secret_address import why_no_secret_at

if TYPE_CHECKING:
    import openai

    from ragate.clients.http.openai_http import httpx

T = TypeVar("T")
_SENT = frozenset({"host", "accept", "connection", "content-type", "content-length"})
# Their debug logs hold whole requests and headers, and a variable can switch them on.
_LOUD = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")


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

    def client(self, *, timeout_s: float, connections: int) -> openai.AsyncOpenAI:
        """Return a client of the package that repeats nothing and follows no redirect.

        Raises:
            OSError, ProviderError: as `authorization`.
        """
        authorization = self.authorization
        gc.disable()  # what an import makes stays: looking for garbage in it takes a tenth more
        try:
            import openai

            from ragate.clients.http.aiohttp_transport import AiohttpTransport
            from ragate.clients.http.openai_http import httpx
        finally:
            gc.enable()
        for name in _LOUD:
            logging.getLogger(name).setLevel(logging.WARNING)
        transport: Any = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(timeout_s),
            transport=AiohttpTransport(self.base_url, connections=connections, connect_s=timeout_s),
            event_hooks={"request": [partial(self._bare, authorization)]},
        )
        return openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key="none",  # the package wants one; `_bare` decides what is sent
            max_retries=0,
            http_client=transport,
        )

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

    async def outcome(self, call: Awaitable[T], *, timeout_s: float) -> T | Fault:
        """Return what a call with this client brings, or what went wrong."""
        return await outcome(call, timeout_s=timeout_s)

    async def _bare(self, authorization: Mapping[str, str], request: httpx.Request) -> None:
        """Send no header but these: the package adds some from the environment."""
        if request.url.netloc != self._netloc:
            from ragate.clients.http.openai_http import httpx

            raise httpx.ConnectError("a request to another host was stopped", request=request)
        headers = {name: value for name, value in request.headers.items() if name in _SENT}
        headers |= {"user-agent": "ragate", "accept-encoding": ENCODINGS}
        headers |= authorization
        request.headers = type(request.headers)(headers)

    @cached_property
    def _netloc(self) -> bytes:
        from ragate.clients.http.openai_http import httpx

        return httpx.URL(self.base_url).netloc


async def post(
    client: openai.AsyncOpenAI, path: str, body: dict[str, Any], *, max_bytes: int = CHAT_BYTES
) -> bytes:
    """Return the body of the answer to one request, as it came."""
    from ragate.clients.http.openai_http import httpx

    whole: Any = httpx.Response
    with reply_of_at_most(max_bytes):
        content: bytes = (await client.post(path, body=body, cast_to=whole)).content
    return content
