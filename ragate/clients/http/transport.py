"""The `openai` package, made deaf to the environment and bound to one host."""

from __future__ import annotations

import gc
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from ragate.clients.http.bounded_body import CHAT_BYTES, ENCODINGS, reply_of_at_most
from ragate.clients.http.error_mapping import Fault, outcome

if TYPE_CHECKING:
    import httpx
    import openai

T = TypeVar("T")
_SENT = frozenset({"host", "accept", "connection", "content-type", "content-length"})
# Their debug logs hold whole requests and headers, and a variable can switch them on.
_LOUD = ("openai", "httpx", "httpcore")


@dataclass(frozen=True)
class Transport:
    """Where requests go, and the key that belongs there.

    Attributes:
        base_url: Where the API is; nothing is ever sent elsewhere.
        key: Sent to that host alone; "" for a server without keys.
    """

    base_url: str
    key: SecretStr

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc

    def client(self, *, timeout_s: float, connections: int) -> openai.AsyncOpenAI:
        """Return a client of the package that repeats nothing and follows no redirect."""
        import httpx

        from ragate.clients.http.pooled_transport import PooledTransport

        gc.disable()  # what an import makes stays: looking for garbage in it takes a tenth more
        try:
            import openai
        finally:
            gc.enable()
        for name in _LOUD:
            logging.getLogger(name).setLevel(logging.WARNING)
        transport = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(timeout_s),
            transport=PooledTransport(connections),
            event_hooks={"request": [self._bare]},
        )
        return openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key="none",  # the package wants one; `_bare` decides what is sent
            max_retries=0,
            http_client=transport,
        )

    async def outcome(self, call: Awaitable[T], *, timeout_s: float) -> T | Fault:
        """Return what a call with this client brings, or what went wrong."""
        return await outcome(call, timeout_s=timeout_s)

    async def _bare(self, request: httpx.Request) -> None:
        """Send no header but these: the package adds some from the environment."""
        if request.url.netloc != self._netloc:
            raise ValueError("a request to another host was stopped")
        headers = {name: value for name, value in request.headers.items() if name in _SENT}
        headers |= {"user-agent": "ragate", "accept-encoding": ENCODINGS}
        if self.key.get_secret_value():
            headers["authorization"] = f"Bearer {self.key.get_secret_value()}"
        request.headers = type(request.headers)(headers)

    @cached_property
    def _netloc(self) -> bytes:
        import httpx

        return httpx.URL(self.base_url).netloc


async def post(
    client: openai.AsyncOpenAI, path: str, body: dict[str, Any], *, max_bytes: int = CHAT_BYTES
) -> bytes:
    """Return the body of the answer to one request, as it came."""
    import httpx

    with reply_of_at_most(max_bytes):
        response = await client.post(path, body=body, cast_to=httpx.Response)
    return response.content
