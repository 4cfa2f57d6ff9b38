"""The way to an MCP server over HTTP: the address that the policy allows, and no other."""

from collections.abc import AsyncIterator, Mapping, Sequence

import httpx2

from ragate.clients.http.bounded_body import BoundedBody, ReplyTooLargeError
from ragate.clients.http.error_mapping import MalformedError
from ragate.systems.http.address import AllowedHost
from ragate.systems.http.policy import is_allowed_path
from ragate.systems.http.raw_reply import MAX_BYTES


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends to one host, at addresses that were looked up once; bounds and unpacks every reply.

    Args:
        headers: Go along with every request, secrets among them.
        methods, paths: What the policy allows; another one is answered here, and never sent.
    """

    def __init__(
        self,
        host: AllowedHost,
        addresses: Sequence[str],
        *,
        headers: Mapping[str, str],
        methods: Sequence[str],
        paths: Sequence[str],
    ) -> None:
        self._host = host
        self._addresses = list(addresses)
        self._headers = headers
        self._methods = methods
        self._paths = paths
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request where the policy lets it go; the session's other ones get a 405."""
        url = request.url
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        here = (url.scheme, url.host.rstrip("."), port)
        if here != (self._host.scheme, self._host.host, self._host.port):
            raise httpx2.ConnectError("another host than the policy's", request=request)
        path = url.raw_path.decode("ascii").partition("?")[0]
        if request.method not in self._methods or not is_allowed_path(path, self._paths):
            return httpx2.Response(405, request=request)
        request.headers.update({**self._headers, "Host": self._host.authority})
        request.headers["Accept-Encoding"] = "identity"
        request.extensions = {**request.extensions, "sni_hostname": self._host.host}
        last: httpx2.ConnectError | None = None
        for address in self._addresses:
            request.url = url.copy_with(host=address, port=port)
            try:
                response = await self._inner.handle_async_request(request)
            except httpx2.ConnectError as error:
                last = error
            else:
                assert isinstance(response.stream, httpx2.AsyncByteStream)
                packed = response.headers.pop("content-encoding", "")
                response.stream = _Bounded(response.stream, packed)
                return response
        raise last or httpx2.ConnectError("no address", request=request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """A body of at most so many bytes, unpacked here: the library would do it without a bound."""

    def __init__(self, inner: httpx2.AsyncByteStream, packed: str) -> None:
        self._inner = inner
        self._packed = packed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            body = BoundedBody(self._packed, MAX_BYTES)
            async for part in self._inner:
                yield body.feed(part)
        except ReplyTooLargeError as error:
            raise httpx2.ReadError(f"the server sent more than {MAX_BYTES} bytes") from error
        except MalformedError as error:
            raise httpx2.ReadError(f"the server sent {error}") from error

    async def aclose(self) -> None:
        await self._inner.aclose()
