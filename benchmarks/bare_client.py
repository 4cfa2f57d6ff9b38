"""The least that asking a model takes: the `openai` package, and nothing around it.

    python benchmarks/bare_client.py URL CALLS CHARACTERS CONCURRENCY

Makes so many calls of so many characters each, and drops the replies. The package's own pool of
connections looks at every connection for every connection with every call, which costs 10 ms a call
where 64 are open: this client has a pool for each, so that its figure is the least there is.
"""

from __future__ import annotations

import asyncio
import sys

import httpx2 as httpx
from openai import AsyncOpenAI


class OnePoolEach(httpx.AsyncBaseTransport):
    """Sends each request by a pool of one connection that is free."""

    def __init__(self, connections: int) -> None:
        one = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        context = httpx.create_ssl_context()
        self._free = [
            httpx.AsyncHTTPTransport(verify=context, limits=one) for _ in range(connections)
        ]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        pool = self._free.pop()
        try:
            response = await pool.handle_async_request(request)
            content = await response.aread()
        finally:
            self._free.append(pool)
        await response.aclose()
        return httpx.Response(response.status_code, headers=response.headers, content=content)

    async def aclose(self) -> None:
        for pool in self._free:
            await pool.aclose()


async def ask(url: str, calls: int, characters: int, concurrency: int) -> None:
    """Make the calls, `concurrency` of them at once."""
    waiting = iter(range(calls))
    pool = httpx.AsyncClient(trust_env=False, timeout=60.0, transport=OnePoolEach(concurrency))
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=pool) as client:

        async def work() -> None:
            for number in waiting:
                text = f"{number} ".ljust(characters, "x")
                await client.chat.completions.create(
                    model="judge-1", messages=[{"role": "user", "content": text}]
                )

        await asyncio.gather(*(work() for _ in range(concurrency)))


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1], *map(int, sys.argv[2:])))
