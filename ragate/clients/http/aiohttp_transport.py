"""What carries the requests of the `openai` package.

The package's own transport reads HTTP in Python, which takes a third of a call's CPU, and its pool
takes time by the square of its connections. aiohttp reads it in C.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cached_property, partial

import aiohttp

from ragate.clients.http.bounded_body import REPLY_BYTES, BoundedBody
from ragate.clients.http.error_mapping import CutOffError
from ragate.clients.http.openai_http import httpx
from ragate.clients.http.session import provider_session, words_of


class AiohttpTransport(httpx.AsyncBaseTransport):
    """Sends each request by one session; arguments are those of `provider_session`."""

    def __init__(self, base_url: str, *, connections: int, connect_s: float) -> None:
        self._make = partial(
            provider_session, base_url, {}, connections=connections, connect_s=connect_s
        )

    @cached_property
    def _session(self) -> aiohttp.ClientSession:
        return self._make()  # where a loop runs

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, its body unread.

        Raises:
            httpx.ConnectError: nothing was sent.
            httpx.ReadError: no answer came.
            httpx.ConnectTimeout: the server was not reached in time.
            MalformedError: it is packed as nobody asked for.
        """
        try:
            answer = await self._session.request(
                request.method,
                str(request.url),
                headers=request.headers.items(),
                data=request.content,
                allow_redirects=False,
            )
        except aiohttp.ClientConnectorError as error:
            raise httpx.ConnectError(str(error), request=request) from error
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error), request=request) from error
        except (aiohttp.ClientError, OSError) as error:
            raise httpx.ReadError(words_of(error), request=request) from error
        try:
            # Unpacked here, so that the bound holds for what comes out; nobody unpacks it again.
            headers = httpx.Headers(answer.raw_headers)
            headers.pop("set-cookie", None)  # the package keeps it, and fails where it is no ASCII
            body = BoundedBody(headers.pop("content-encoding", ""), REPLY_BYTES.get())
        except BaseException:
            answer.close()
            raise
        return httpx.Response(answer.status, headers=headers, stream=_Body(answer, body))

    async def aclose(self) -> None:
        await self._session.close()


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: aiohttp.ClientResponse, body: BoundedBody) -> None:
        self._answer = answer
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._answer.content.iter_any():
                yield self._body.feed(part)
        except (aiohttp.ClientError, OSError) as error:
            raise CutOffError(f"the reply is cut off: {error}") from error

    async def aclose(self) -> None:
        self._answer.release()
