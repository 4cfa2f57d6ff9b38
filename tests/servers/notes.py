"""A server that takes notes on merge requests and keeps what came."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.servers.serving import serving


@dataclass
class NoteServer:
    """What was posted, in order."""

    url: str
    paths: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)


@contextmanager
def note_server() -> Iterator[NoteServer]:
    """Yield a server on loopback that says 201 to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.paths.append(self.path)
            kept.tokens.append(self.headers.get("PRIVATE-TOKEN", ""))
            kept.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(201)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        kept = NoteServer(url)
        yield kept
