"""A line to a Postgres that is cut as in a failover: connections break, new ones are refused."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class CutLine:
    """Forwards connections from a loopback port to a server, for as long as it is up.

    Args:
        url: The server's connection string, with a host or the folder of its socket.
    """

    def __init__(self, url: str) -> None:
        self._server = conninfo_to_dict(url)
        self._loop = asyncio.new_event_loop()
        self._listener: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()
        self._port = 0
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def reached(self, url: str) -> str:
        """Return the connection string of a database of the server, over this line."""
        return make_conninfo(url, host="127.0.0.1", port=self._port)

    def restore(self) -> None:
        """Let connections through."""
        self._run(self._listen())

    def cut(self) -> None:
        """Break every connection, and refuse new ones."""
        self._run(self._break())

    def close(self) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, step: object) -> None:
        if not self._thread.is_alive():
            self._thread.start()
        asyncio.run_coroutine_threadsafe(step, self._loop).result(10)  # type: ignore[arg-type]

    async def _listen(self) -> None:
        self._listener = await asyncio.start_server(self._forward, "127.0.0.1", self._port)
        self._port = self._listener.sockets[0].getsockname()[1]

    async def _break(self) -> None:
        if self._listener is not None:
            self._listener.close()
        for each in self._connections:
            each.transport.abort()
        await asyncio.sleep(0)

    async def _end(self) -> None:
        """Break every connection, and those too that are just being made."""
        await self._break()
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=0.1)
            await self._break()

    async def _forward(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        self._connections.add(back)
        host, port = str(self._server["host"]), self._server.get("port", "5432")
        if host.startswith("/"):
            far, there = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        else:
            far, there = await asyncio.open_connection(host, int(str(port)))
        self._connections.add(there)
        try:
            await asyncio.gather(_pump(near, there), _pump(far, back))
        finally:
            self._connections -= {back, there}


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()


@contextmanager
def cut_line(url: str) -> Iterator[CutLine]:
    """Yield a line to a server that is up."""
    line = CutLine(url)
    line.restore()
    try:
        yield line
    finally:
        line.close()
