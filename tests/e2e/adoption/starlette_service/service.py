"""The search of a bicycle workshop, as a service: POST /ask {"text": ...}."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

PAGES = {path.name: path.read_text() for path in Path(__file__).parent.glob("docs/*.md")}


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


async def ask(request: Request) -> Response:
    wanted = words((await request.json())["text"])
    ranked = sorted(PAGES, key=lambda name: (-len(wanted & words(PAGES[name])), name))[:3]
    lines = [line for line in PAGES[ranked[0]].splitlines() if line and not line.startswith("#")]
    sources = [{"page": name, "content": PAGES[name]} for name in ranked]
    return JSONResponse({"reply": {"text": lines[0]}, "sources": sources})


async def alive(_request: Request) -> Response:
    return JSONResponse({"status": "ok"})


app = Starlette(routes=[Route("/ask", ask, methods=["POST"]), Route("/alive", alive)])

if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, port=8643)
