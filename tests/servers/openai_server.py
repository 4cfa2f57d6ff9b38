"""A loopback server that speaks enough of the OpenAI API: chat completions and embeddings."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.servers.faults import (
    HANG,
    RESET,
    TRUNCATED,
    Chaos,
    Fault,
    RateLimit,
    status,
)
from tests.servers.serving import ManyServer, serving
from tests.servers.streams import chat_stream, response_body, response_stream

DIMENSION = 64


@dataclass
class FakeOpenAI:
    """What the server does and what it saw.

    Attributes:
        faults: Sent one after another instead of answers, until none is left.
        chaos: Faults by share, on top.
        limit: Refuses what comes too fast.
        relevance: Scores a text for a question, for reranking.
        reply: Writes the answer to a chat request; see `never_the_same` and `scripted`.
        requests: Path, headers and body of every request.
        latency_s: Seconds before each answer.
        keep: Note the requests; off for long runs.
        looks: The keys that asked for the list of models, which costs nothing.
        loading: Questions for its health until its model is loaded; till then it answers 503.
        healths: How often it was asked for that.
        refused: Keys that this question is answered with 401 for.
        tokens: Counts the tokens of a chat request. finish: Why it says that its answers end.
        cut_streams: End every stream in its middle. event_s: Seconds before each of its events.
        rules: Refuses what a model does not take; see `model_rules`.
        refusals: How many requests it has refused.
        closes: End each connection after an answer, without a word before.
        closed: How many connections it has ended.
    """

    base_url: str = ""
    dimension: int = DIMENSION
    faults: list[Fault] = field(default_factory=list)
    reply: Callable[[dict[str, Any]], str] = lambda _body: "It is so [1]."
    relevance: Callable[[str, str], float] = lambda _query, text: float(len(text))
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    chaos: Chaos | None = None
    limit: RateLimit | None = None
    latency_s: float = 0.0
    keep: bool = True
    finish: str = "stop"
    tokens: Callable[[dict[str, Any]], int] = lambda _body: 11
    cut_streams: bool = False
    event_s: float = 0.0
    rules: Callable[[dict[str, Any]], Fault | None] = lambda _body: None
    refusals: int = 0
    closes: bool = False
    closed: int = 0
    hang_s: float = 5.0
    seen: int = 0
    looks: list[str] = field(default_factory=list)
    loading: int = 0
    healths: int = 0
    refused: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    released: threading.Event = field(default_factory=threading.Event)

    def refusal(self, body: dict[str, Any]) -> Fault | None:
        """Return why a model does not take a request, None where it does."""
        refused = self.rules(body)
        self.refusals += refused is not None
        return refused

    def next_fault(self) -> Fault | None:
        """Return what goes wrong with the request that has just come, None where nothing does."""
        if self.loading:
            return status(503, message="Loading model")
        if self.faults:
            return self.faults.pop(0)
        refused = self.limit.next() if self.limit else None
        return refused or (self.chaos.next() if self.chaos else None)

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        if path.endswith("/chat/completions"):
            return self._completion(body)
        if path.endswith("/responses"):
            return response_body(body, self.reply(body))
        if path.endswith("/rerank"):
            return self._ranking(body)
        return self._embeddings(body)

    def events(self, path: str, body: dict[str, Any]) -> list[str]:
        """Return the events of a streamed answer; the last ones are lost where it is cut."""
        make = chat_stream if path.endswith("/chat/completions") else response_stream
        events = make(body, self.reply(body))
        return events[: len(events) // 2] if self.cut_streams else events

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        text, sent = self.reply(body), self.tokens(body)
        return {
            "id": "c1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": self.finish,
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {
                "prompt_tokens": sent,
                "completion_tokens": 7,
                "total_tokens": sent + 7,
            },
        }

    def _embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        size = body.get("dimensions") or self.dimension
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = [
            {"object": "embedding", "index": place, "embedding": hashed_embedding(text, size)}
            for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        # In any order: a client must go by the index.
        return {"object": "list", "model": body["model"], "data": rows[::-1], "usage": usage}

    def _ranking(self, body: dict[str, Any]) -> Any:
        texts = body.get("documents", body.get("texts", []))
        scores = [self.relevance(body["query"], text) for text in texts]
        best = sorted(range(len(texts)), key=lambda place: -scores[place])
        if "texts" in body:
            return [{"index": place, "score": scores[place]} for place in best]
        rows = [{"index": place, "relevance_score": scores[place]} for place in best]
        return {"results": rows, "usage": {"total_tokens": 3}}


def hashed_embedding(text: str, size: int) -> list[float]:
    """Return a unit vector in which texts that share words are near."""
    vector = [0.0] * size
    for word in re.findall(r"\w+", text.lower()):
        hashed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        vector[hashed % size] += 1.0
    vector[0] += 0.01
    norm = sum(value * value for value in vector) ** 0.5
    return [value / norm for value in vector]


def never_the_same() -> Callable[[dict[str, Any]], str]:
    """Return a reply that differs every time, as a model's does, by no word of a question."""
    number = itertools.count(1)
    return lambda _body: f"It is so, the n{next(number)} time [1]."


def scripted(*answers: str) -> Callable[[dict[str, Any]], str]:
    """Return replies in this order; the last one stays."""
    left = list(answers)
    return lambda _body: left.pop(0) if len(left) > 1 else left[0]


class _Server(ManyServer):
    def __init__(self, fake: FakeOpenAI, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.fake = fake

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.fake.closed += 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away: they are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        fake = self.server.fake
        if self.path == "/health":
            fake.healths += 1
            self._send(503 if fake.loading else 200, {}, "")
            fake.loading = max(0, fake.loading - 1)
            return
        key = self.headers.get("authorization", "").removeprefix("Bearer ")
        fake.looks.append(key)
        self.send_response(401 if key in fake.refused else 200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        fake = self.server.fake
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        with fake.lock:
            headers = {key.lower(): value for key, value in self.headers.items()}
            fake.seen += 1
            if fake.keep:
                fake.requests.append((self.path, headers, body))
            fault = fake.refusal(body) or fake.next_fault()
        if fault is not None:
            self._fail(fault)
            return
        if fake.latency_s:
            fake.released.wait(fake.latency_s)
        if body.get("stream"):
            self._stream(fake.events(self.path, body))
            return
        content = json.dumps(fake.answer(self.path, body))
        self._send(200, {"content-type": "application/json"}, content)

    def _fail(self, fault: Fault) -> None:
        self.close_connection = fault in (HANG, RESET, TRUNCATED)
        if fault == HANG:
            self.server.fake.released.wait(self.server.fake.hang_s)
        elif fault == RESET:
            # Closed with a reset in place of an orderly end.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif fault == TRUNCATED:
            self._send(200, fault[1], fault[2], more=1000)
        else:
            self._send(*fault)

    def _send(self, code: int, headers: dict[str, str], body: str, *, more: int = 0) -> None:
        content = body.encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content) + more))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection |= self.server.fake.closes

    def _stream(self, events: list[str]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            if self.server.fake.event_s:
                self.server.fake.released.wait(self.server.fake.event_s)
            self.wfile.write(event.encode())

    def log_message(self, *_arguments: object) -> None:
        return


@contextmanager
def openai_server(port: int = 0, *, tls: ssl.SSLContext | None = None) -> Iterator[FakeOpenAI]:
    """Yield a running server, at a free port unless one is given."""
    fake = FakeOpenAI()
    server = _Server(fake, port)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    with serving(server) as url:
        fake.base_url = f"{url}/v1" if tls is None else f"https{url[4:]}/v1"
        try:
            yield fake
        finally:
            fake.released.set()


def main() -> None:
    """Serve until the input ends, for a benchmark: latency in seconds as the only argument."""
    with openai_server() as fake:
        fake.keep = False
        fake.latency_s = float(sys.argv[1])
        print(fake.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
