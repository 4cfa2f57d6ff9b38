"""How a loopback server runs: in threads of the test's own process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from threading import Thread


class ManyServer(ThreadingHTTPServer):
    """Lets as many connections wait as a test opens at once."""

    request_queue_size = 256


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[str]:
    """Let a server answer until the end of the block; yield its address."""
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
