"""A loopback service under test: what it sends is a function of the request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.servers.serving import ManyServer, serving


@dataclass(frozen=True)
class Request:
    """One request as the service saw it; headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Sent:
    """A reply other than plain JSON with status 200; `drop` closes without one.

    Attributes:
        parts: Sent one by one, in place of `body`, as a chunked body.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    drop: bool = False
    parts: Iterable[bytes] | None = None


Handle = Callable[[Request], Any]


@dataclass
class RagServer:
    """A running service."""

    port: int
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/ask"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"


@contextmanager
def rag_server(handle: Handle) -> Iterator[RagServer]:
    """Yield a service whose `handle` returns JSON or a `Sent`."""
    running = RagServer(0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def serve(self) -> None:
            length = int(self.headers.get("content-length", 0))
            request = Request(
                self.command,
                self.path,
                {key.lower(): value for key, value in self.headers.items()},
                self.rfile.read(length),
            )
            running.requests.append(request)
            reply = handle(request)
            sent = reply if isinstance(reply, Sent) else Sent(body=json.dumps(reply).encode())
            if sent.drop:
                self.close_connection = True
                return
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            if sent.parts is not None:
                self.send_parts(sent.parts)
                return
            self.send_header("content-length", str(len(sent.body)))
            self.end_headers()
            try:
                self.wfile.write(sent.body)
            except ConnectionError:  # the client had enough
                self.close_connection = True

        def send_parts(self, parts: Iterable[bytes]) -> None:
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            try:
                for part in parts:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                self.wfile.write(b"0\r\n\r\n")
            except ConnectionError:
                self.close_connection = True

        do_GET = do_POST = do_PUT = serve  # noqa: N815

        def log_message(self, *_arguments: object) -> None:
            return

    server = ManyServer(("127.0.0.1", 0), Handler)
    running.port = server.server_port
    with serving(server):
        yield running
