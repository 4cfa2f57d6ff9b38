"""A loopback server that speaks enough of the OpenAI API: chat completions and embeddings."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 64
Fault = tuple[int, dict[str, str], str]  # status, headers, body
HTML: Fault = (200, {"content-type": "text/html"}, "<html>Sign in</html>")
BROKEN_JSON: Fault = (200, {"content-type": "application/json"}, '{"choices": [')
HANG: Fault = (0, {}, "")


def status(code: int, *, message: str = "injected", **headers: str) -> Fault:
    """Return a fault with the API's own error body; `retry_after="1"` becomes a header."""
    body = json.dumps({"error": {"message": message, "type": "injected", "code": None}})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return code, {"content-type": "application/json", **named}, body


@dataclass
class FakeOpenAI:
    """What the server does and what it saw.

    Attributes:
        faults: Sent one after another instead of answers, until none is left.
        reply: Writes the answer to a chat request.
        requests: Path, headers and body of every request.
    """

    base_url: str = ""
    dimension: int = DIMENSION
    faults: list[Fault] = field(default_factory=list)
    reply: Callable[[dict[str, Any]], str] = lambda _body: "It is so [1]."
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    hang_s: float = 5.0
    lock: threading.Lock = field(default_factory=threading.Lock)
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path.endswith("/chat/completions"):
            return self._completion(body)
        return self._embeddings(body)

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        text = self.reply(body)
        return {
            "id": "c1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        }

    def _embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        size = body.get("dimensions") or self.dimension
        rows = [
            {"object": "embedding", "index": place, "embedding": hashed_embedding(text, size)}
            for place, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        # In any order: a client must go by the index.
        return {"object": "list", "model": body["model"], "data": rows[::-1], "usage": usage}


def hashed_embedding(text: str, size: int) -> list[float]:
    """Return a unit vector in which texts that share words are near."""
    vector = [0.0] * size
    for word in re.findall(r"\w+", text.lower()):
        hashed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        vector[hashed % size] += 1.0
    vector[0] += 0.01
    norm = sum(value * value for value in vector) ** 0.5
    return [value / norm for value in vector]


@contextmanager
def openai_server() -> Iterator[FakeOpenAI]:
    """Yield a running server."""
    fake = FakeOpenAI()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length) or b"{}")
            with fake.lock:
                headers = {key.lower(): value for key, value in self.headers.items()}
                fake.requests.append((self.path, headers, body))
                fault = fake.faults.pop(0) if fake.faults else None
            if fault == HANG:
                fake.released.wait(fake.hang_s)
                self.close_connection = True
                return
            if fault is not None:
                self._send(*fault)
                return
            content = json.dumps(fake.answer(self.path, body))
            self._send(200, {"content-type": "application/json"}, content)

        def _send(self, code: int, headers: dict[str, str], body: str) -> None:
            content = body.encode()
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    fake.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
