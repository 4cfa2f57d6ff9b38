"""Servers that fail in given ways, and clients of them."""

from __future__ import annotations

import asyncio
from typing import Any

from ragate.clients.http.retry import Retry
from ragate.clients.openai import OpenAIClient
from ragate.protocols import ChatRequest
from tests.servers.openai_server import FakeOpenAI

KEY = 'sk-canary/"+0123456789&x'


QUICK = Retry(base_s=0.02)


def ask_many(server: FakeOpenAI, count: int, **client: Any) -> list[Any]:
    """Return a reply or an exception for each of `count` different questions."""

    async def main() -> list[Any]:
        made = OpenAIClient(
            **{
                "base_url": server.base_url,
                "key": KEY,
                "concurrency": 16,
                "retry": QUICK,
                "timeout_s": 60.0,
                **client,
            }
        )
        questions = (ChatRequest("m", (("user", f"question {n}"),)) for n in range(count))
        try:
            return await asyncio.gather(*map(made, questions), return_exceptions=True)
        finally:
            await made.aclose()

    return asyncio.run(main())
