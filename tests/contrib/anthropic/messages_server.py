"""A server of the messages API on loopback: its documented shapes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.servers.serving import ManyServer, serving

KEY = "sk-ant-0123456789abcdef"
Body = dict[str, Any]


@dataclass
class Messages:
    """What was asked, and what is answered.

    Attributes:
        overloaded: How many requests are answered with 529 first.
        reply: Writes the text; where a tool has to be called, the JSON of its arguments.
    """

    url: str = ""
    asked: list[Body] = field(default_factory=list)
    looks: int = 0
    overloaded: int = 0
    reply: Callable[[Body], str] = lambda _body: "It is so [1]."

    def answer(self, headers: dict[str, str], body: Body) -> tuple[int, Body]:
        if headers.get("x-api-key") != KEY or "authorization" in headers:
            return 401, error("authentication_error", "invalid x-api-key")
        if self.overloaded:
            self.overloaded -= 1
            return 529, error("overloaded_error", "Overloaded")
        if refused := refusal(headers, body):
            return 400, error("invalid_request_error", refused)
        self.asked.append(body)
        return 200, self.message(body)

    def message(self, body: Body) -> Body:
        text = self.reply(body)
        block: Body = {"type": "text", "text": text}
        if "tool_choice" in body:
            name = body["tool_choice"]["name"]
            block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(text)}
        return {
            "id": "msg_013Zva2CMHLNnjNjJJKqJ2EF",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [block],
            "stop_reason": "tool_use" if "tool_choice" in body else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 2095, "output_tokens": 503, "cache_read_input_tokens": 5},
        }


def as_openai(body: Body) -> Body:
    """Return a request in OpenAI's words, for who replies to these."""
    turns = [{"role": "system", "content": body.get("system", "")}, *body["messages"]]
    asked: Body = {"messages": turns, "model": body["model"]}
    if "tools" in body:
        schema = {"name": "verdict", "schema": body["tools"][0]["input_schema"]}
        asked["response_format"] = {"type": "json_schema", "json_schema": schema}
    return asked


def error(kind: str, message: str) -> Body:
    return {"type": "error", "error": {"type": kind, "message": message}}


def refusal(headers: dict[str, str], body: Body) -> str:
    known = {"model", "max_tokens", "messages", "system", "temperature", "tools", "tool_choice"}
    if headers.get("anthropic-version") != "2023-06-01":
        return "anthropic-version: header is required"
    if "max_tokens" not in body:
        return "max_tokens: Field required"
    if strange := sorted(body.keys() - known):
        return f"{strange[0]}: Extra inputs are not permitted"
    roles = [each["role"] for each in body["messages"]]
    if not roles or set(roles) - {"user", "assistant"}:
        return 'messages: Unexpected role "system". The Messages API accepts a top-level `system`'
    if body["model"].startswith("claude-opus") and "temperature" in body:
        return "`temperature` is deprecated for this model."
    return ""


@contextmanager
def messages_server() -> Iterator[Messages]:
    seen = Messages()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            seen.looks += 1
            right = self.headers.get("x-api-key") == KEY
            self._send(200 if right else 401, {"data": [], "has_more": False})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            if self.path != "/v1/messages":
                self._send(404, error("not_found_error", "Not found"))
            else:
                self._send(*seen.answer(headers, body))

        def _send(self, status: int, body: Body) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    with serving(ManyServer(("127.0.0.1", 0), Handler)) as address:
        seen.url = f"{address}/v1"
        yield seen
