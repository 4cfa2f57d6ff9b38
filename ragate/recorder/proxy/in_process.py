"""Which sample a request of imported code belongs to: told by the context it is made in."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote, urlsplit

from ragate.recorder.proxy import HEADER

# Goes along into tasks, and into the threads that ragate starts; not into a pool of the project's.
CURRENT: ContextVar[str] = ContextVar("ragate_sample", default="")


@contextmanager
def named_requests(base_url: str) -> Iterator[None]:
    """Put the sample's id on every request that httpx sends to `base_url`.

    Clients are made once and used for all samples, so nothing that is set when they are made could
    tell the samples apart.
    """
    import httpx

    proxy = urlsplit(base_url)

    def name(request: httpx.Request) -> None:
        if CURRENT.get() and (request.url.host, request.url.port) == (proxy.hostname, proxy.port):
            request.headers.setdefault(HEADER, quote(CURRENT.get()))

    send, send_async = httpx.Client.send, httpx.AsyncClient.send

    def named(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        name(request)
        return send(self, request, **options)

    async def named_async(
        self: httpx.AsyncClient, request: httpx.Request, **options: Any
    ) -> httpx.Response:
        name(request)
        return await send_async(self, request, **options)

    httpx.Client.send = named  # type: ignore[method-assign]
    httpx.AsyncClient.send = named_async  # type: ignore[method-assign]
    try:
        yield
    finally:
        httpx.Client.send = send  # type: ignore[method-assign]
        httpx.AsyncClient.send = send_async  # type: ignore[method-assign]
