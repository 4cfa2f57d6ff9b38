"""An MCP server of the official library, over its pipes or over HTTP."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVER = """
import os, sys, time
from typing import Any
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import SamplingMessage, TextContent
from pydantic import BaseModel, Field

server = MCPServer("rag")
PAGES = {"refunds.md": "Refunds: 30 days."}


@server.tool()
def ask(query: str, limit: int = 3) -> dict[str, Any]:
    hits = [{"id": name, "text": text, "score": 0.5} for name, text in PAGES.items()]
    variable = os.environ.get("SECRET_KEY", "")
    return {"result": f"{query} {limit}", "hits": hits, "variable": variable}


@server.tool()
def recorded(query: str) -> dict:
    return {"answer": query, "chunks": [{"doc_id": "a.md", "text": "A"}]}


@server.tool()
def plain(query: str) -> str:
    return f"plain {query}"


@server.tool()
def chat(query: str, messages: list[dict] = []) -> str:
    return f"{[turn['content'] for turn in messages]} {query}"


@server.tool()
def broken(query: str) -> str:
    print("the index is gone", file=sys.stderr, flush=True)
    raise ValueError("no index")


@server.tool()
def dies(query: str) -> str:
    if os.path.exists("died"):
        return "alive again"
    open("died", "w").close()
    os._exit(7)


@server.tool()
def hangs(query: str) -> str:
    time.sleep(20)
    return "late"


@server.tool()
def noisy(query: str) -> str:
    print("no message at all", flush=True)
    return "x"


class Matched(BaseModel):
    # Each letter more that does not match doubles the time of a backtracking matcher.
    answer: str = Field(json_schema_extra={"pattern": "^(a+)+$"})


@server.tool()
def hostile(query: str) -> Matched:
    return Matched(answer="a" * 22 + "b")


@server.tool()
async def sampled(query: str, context: Context) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=query))
    reply = await context.session.create_message([message], max_tokens=50)
    return f"the model said {reply.content.text}"
"""


def stdio_server(root: Path) -> list[str]:
    """Write a server, and return how to start it."""
    (root / "server.py").write_text(f"{SERVER}\n\nserver.run('stdio')\n")
    return [sys.executable, "server.py"]


@contextmanager
def http_server() -> Iterator[tuple[str, str]]:
    """Yield the address and the host of a running server."""
    import uvicorn

    names: dict[str, object] = {}
    exec(SERVER, names)  # the same tools
    app = names["server"].streamable_http_app()  # type: ignore[attr-defined]
    place = socket.create_server(("127.0.0.1", 0))
    port = place.getsockname()[1]
    config = uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([place],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}/mcp", f"127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=5)
