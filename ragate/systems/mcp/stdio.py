"""An MCP server's standard input and output as the streams of a session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from ragate.systems._processes.process import Child

Received = MemoryObjectReceiveStream[SessionMessage | Exception]
Sent = MemoryObjectSendStream[SessionMessage]


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
