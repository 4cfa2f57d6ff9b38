"""A session with an MCP server: opened and closed by a task of its own, used by many."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.client import Client
from mcp.client.session import SamplingFnT
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED, CallToolResult, jsonrpc_message_adapter

from ragate.guards.authorities import authorities
from ragate.guards.escape import one_line
from ragate.guards.secret_address import PORTS
from ragate.systems._process import Child
from ragate.systems._talk import EndedError
from ragate.systems.http.address import AllowedHost
from ragate.systems.http.client import MAX_BYTES, send_pinned
from ragate.systems.http.policy import HttpRules, is_allowed_path

Received = MemoryObjectReceiveStream[SessionMessage | Exception]
Sent = MemoryObjectSendStream[SessionMessage]
Opens = Callable[[], AbstractAsyncContextManager[Client]]
# What the library logs would stand in the middle of our own output: it is told in messages.
logging.getLogger("mcp").addHandler(logging.NullHandler())


class ConnectionLostError(EndedError):
    """The server cannot be talked to, or not any more.

    Attributes:
        unreachable: Nobody answers at its address.
    """

    def __init__(self, message: str, *, unreachable: bool = False) -> None:
        super().__init__(message, crashed=True)
        self.unreachable = unreachable


class ToolRefusedError(Exception):
    """The server answered with an error of the protocol (wrong arguments), or against it."""


class ToolSession:
    """One session.

    Args:
        opens: Gives the client; what it opens ends with it.
    """

    def __init__(self, opens: Opens) -> None:
        self._opens = opens
        self._over = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold())

    async def client(self) -> Client:
        """Return the client, once the handshake is over.

        Raises:
            ConnectionLostError: there is none.
        """
        try:
            return await asyncio.shield(self._ready)
        except (*_LOST, *_BROKEN) as error:
            raise lost(error) from error

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a tool as it went over the wire.

        Raises:
            ConnectionLostError: there is no session, or it ended meanwhile.
            ToolRefusedError: the server answered with an error of the protocol, or against it.
        """
        client = await self.client()
        try:
            result = await client.call_tool(tool, arguments)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED or _is_outage(error):
                raise lost(error) from error
            raise ToolRefusedError(one_line(error.message, 300)) from error
        except _LOST as error:
            raise lost(error) from error
        except _BROKEN as error:
            raise ToolRefusedError(one_line(f"its result cannot be read: {error}", 300)) from error
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def tools(self) -> list[str]:
        """Return the names of the tools that the server has.

        Raises:
            ConnectionLostError: it cannot be asked.
        """
        client = await self.client()
        names: list[str] = []
        cursor: str | None = None
        try:
            while True:
                page = await client.list_tools(cursor=cursor)
                names += [tool.name for tool in page.tools]
                cursor = page.next_cursor
                if not cursor or len(names) > _MOST_TOOLS:
                    return names
        except (*_LOST, *_BROKEN) as error:
            raise lost(error) from error

    async def close(self) -> None:
        """End the session, and the server where it is ours."""
        self._over.set()
        if not self._ready.done():
            self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _hold(self) -> None:
        """Open the client and close it again: its task groups want one task for both."""
        try:
            async with self._opens() as client:
                # Its schema is the server's own: a hostile pattern would hold up all of us, and
                # what is missing in a result the pointers tell.
                client.session.validate_tool_result = _unchecked  # type: ignore[method-assign]
                self._ready.set_result(client)
                await self._over.wait()
        except asyncio.CancelledError:
            self._settle(ConnectionLostError("the session was given up"))
            raise
        except Exception as error:  # noqa: BLE001 - told to whoever asks; at its end it is over anyway
            self._settle(_first(error))

    def _settle(self, error: BaseException) -> None:
        if not self._ready.done():
            self._ready.set_exception(error)
            self._ready.exception()  # seen: nobody may have asked yet


async def _unchecked(name: str, result: CallToolResult) -> None:
    """Take a result as it is."""
    del name, result


_MOST_TOOLS = 1000
_LOST = (
    *(MCPError, httpx2.HTTPError, OSError, ConnectionLostError, EOFError),
    *(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream),
)
# What the library raises where a server answers against the protocol.
_BROKEN = (RuntimeError, ValueError)


def lost(error: BaseException) -> ConnectionLostError:
    """Return what a failure of the transport means."""
    if isinstance(error, ConnectionLostError):
        return error
    message = error.message if isinstance(error, MCPError) else str(error) or type(error).__name__
    return ConnectionLostError(one_line(message, 300), unreachable=_is_outage(error))


def _is_outage(error: BaseException) -> bool:
    """Whether nobody was reached; the library tells some of it as an error of the protocol."""
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return True
    cause = error.__cause__ or error.__context__
    return cause is not None and _is_outage(cause)


def _first(error: BaseException) -> BaseException:
    """Return the first exception of a group: the library runs tasks together."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


# Opening the client of a session: over the pipes of a server that is started, or over HTTP.


def over_stdio(start: Callable[[], Awaitable[Child]], sampling: SamplingFnT | None) -> Opens:
    """Return what starts a server and opens a session over its pipes."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Client]:
        child = await start()
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


# An MCP server's standard input and output as the streams of a session.


@asynccontextmanager
async def stdio_streams(child: Child) -> AsyncIterator[tuple[Received, Sent]]:
    """Yield what the session reads and writes.

    The library would start the server itself; started by us it is ended with its whole group, its
    errors are kept for messages, and a line is bounded.
    """
    heard, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, to_write = anyio.create_memory_object_stream[SessionMessage](0)
    stdin = child.process.stdin
    assert stdin is not None

    async def read() -> None:
        async with heard:
            with suppress(ValueError, anyio.BrokenResourceError):  # a line that is too long
                while line := await child.read_line():
                    await heard.send(_message(line))

    async def write() -> None:
        async with to_write:
            async for message in to_write:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                with suppress(ConnectionError):  # the reader tells that it ended
                    stdin.write(text.encode() + b"\n")
                    await stdin.drain()

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        try:
            yield received, sent
        finally:
            group.cancel_scope.cancel()
            for stream in (received, sent, heard, to_write):
                stream.close()


def _message(line: bytes) -> SessionMessage | Exception:
    """Return a line as a message; one that is none is left to the session, which goes on."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


# The way to an MCP server over HTTP: the address that the policy allows, and no other.


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends to one host, at addresses that were looked up once.

    Args:
        headers: Go along with every request, secrets among them.
        rules: What the policy allows; another request is answered here, and never sent.
    """

    def __init__(
        self,
        host: AllowedHost,
        addresses: Sequence[str],
        *,
        headers: Mapping[str, str],
        rules: HttpRules,
    ) -> None:
        self._host = host
        self._addresses = list(addresses)
        self._headers = headers
        self._rules = rules
        self._inner = httpx2.AsyncHTTPTransport(verify=authorities(), trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request where the policy lets it go; the session's other ones get a 405."""
        url, host, rules = request.url, self._host, self._rules
        here = (url.scheme, url.host.rstrip("."), url.port or PORTS[url.scheme])
        if here != (host.scheme, host.host, host.port):
            raise httpx2.ConnectError("another host than the policy's", request=request)
        path = url.raw_path.decode("ascii").partition("?")[0]
        if request.method not in rules.http_methods or not is_allowed_path(path, rules.http_paths):
            return httpx2.Response(405, request=request)
        request.headers.update(self._headers)
        return await send_pinned(self._inner, request, host, self._addresses)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()
