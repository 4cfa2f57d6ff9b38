"""A session with an MCP server: opened and closed by a task of its own, used by many."""

import asyncio
import logging
from typing import Any

import anyio
import httpx2
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, CallToolResult

from ragate.support.escape import one_line
from ragate.systems.mcp.transports import Opens

# What the library logs would stand in the middle of our own output: it is told in messages.
logging.getLogger("mcp").addHandler(logging.NullHandler())


class ConnectionLostError(Exception):
    """The server cannot be talked to, or not any more.

    Attributes:
        unreachable: Nobody answers at its address.
    """

    def __init__(self, message: str, *, unreachable: bool = False) -> None:
        super().__init__(message)
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
