"""A server whose replies are too large: endless, or packed so that little becomes much."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.servers.serving import serving

CHUNK = b" " * 65536


@dataclass
class Oversized:
    """What the server sends, and how much of it was taken.

    Attributes:
        size: Bytes of a plain reply.
        packed: In place of it, a gzip body.
        sent: Bytes that went out for all replies. requests: How many there were.
    """

    size: int = 200 * 1024**2
    packed: bytes = b""
    base_url: str = ""
    sent: int = 0
    requests: int = 0


@cache
def bomb() -> bytes:
    """Return a gzip body of a few kilobytes that unpacks to 300 megabytes of nothing."""
    return gzip.compress(bytes(300 * 1024**2), compresslevel=1)


@contextmanager
def oversized_server(state: Oversized) -> Iterator[Oversized]:
    """Yield `state` with the address of a running server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            state.requests += 1
            self.close_connection = True
            self.send_response(200)
            self.send_header("content-type", "application/json")
            if state.packed:
                self.send_header("content-encoding", "gzip")
            self.send_header("connection", "close")
            self.end_headers()
            try:
                self._send()
            except OSError:
                return  # the client has seen enough

        def _send(self) -> None:
            if state.packed:
                self.wfile.write(state.packed)
                state.sent += len(state.packed)
                return
            for _ in range(state.size // len(CHUNK)):
                self.wfile.write(CHUNK)
                state.sent += len(CHUNK)

        def log_message(self, *_arguments: object) -> None:
            return

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        state.base_url = f"{url}/v1"
        yield state
