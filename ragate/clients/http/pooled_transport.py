"""A pool for each connection: one pool takes time by the square of its connections."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from ragate.clients.http.bounded_body import REPLY_BYTES, BoundedBody
from ragate.clients.http.error_mapping import CutOffError
from ragate.clients.http.openai_http import httpx
from ragate.support.authorities import authorities


@dataclass
class _Pool:
    transport: httpx.AsyncHTTPTransport
    load: int = 0

    def leave(self) -> None:
        self.load -= 1


class PooledTransport(httpx.AsyncBaseTransport):
    """Sends each request by the pool that has the fewest under way.

    Args:
        connections: Requests under way at once, at most.
    """

    def __init__(self, connections: int) -> None:
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        self._pools = [
            _Pool(httpx.AsyncHTTPTransport(verify=authorities(), trust_env=False, limits=limits))
            for _ in range(connections)
        ]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # Ties go to the first pool, so that few calls need few connections.
        pool = min(self._pools, key=lambda one: one.load)
        pool.load += 1
        try:
            response = await pool.transport.handle_async_request(request)
        except BaseException:
            pool.leave()
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        try:
            # Unpacked here, so that the bound holds for what comes out; nobody unpacks it again.
            body = BoundedBody(response.headers.pop("content-encoding", ""), REPLY_BYTES.get())
        except BaseException:
            pool.leave()
            await response.stream.aclose()
            raise
        response.stream = _Watched(response.stream, pool.leave, body)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.transport.aclose()


class _Watched(httpx.AsyncByteStream):
    """Tells when the answer is read to its end, or given up."""

    def __init__(
        self, stream: httpx.AsyncByteStream, done: Callable[[], None], body: BoundedBody
    ) -> None:
        self._stream = stream
        self._body = body
        self._done: Callable[[], None] | None = done

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._stream:
                yield self._body.feed(part)
        except (httpx.RemoteProtocolError, httpx.ReadError) as error:
            raise CutOffError(f"the reply is cut off: {error}") from error

    async def aclose(self) -> None:
        done, self._done = self._done, None
        if done is not None:
            done()
        await self._stream.aclose()
