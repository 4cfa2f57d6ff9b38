"""A small project with a corpus, asked through the built-in RAG."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ragate.clients.http.retry import Retry
from ragate.clients.openai import OpenAIClient
from ragate.embedders import openai as embedders
from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.protocols import Database, Embedder, Reranker, Resources
from ragate.rerankers import endpoint
from ragate.systems.pgvector import create

T = TypeVar("T")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def docs(root: Path) -> None:
    """Write a corpus of three pages."""
    write(root / "docs/index.md", "# Welcome\n\nAll about the pump P-100.")
    write(root / "docs/guides/warranty.md", "# Warranty\n\nEvery pump has a warranty of two years.")
    write(root / "docs/notes.txt", "The pump is blue. It weighs nine kilograms.")


class Project:
    """A folder with documents and a server; every question runs the whole system anew."""

    def __init__(
        self,
        root: Path,
        database: Database,
        *,
        top_k: int | None = None,
        retrieval_only: bool = False,
    ) -> None:
        self.root = root
        self.database = database
        self.said: list[str] = []
        self.base_url = ""
        self._top_k = top_k
        self._retrieval_only = retrieval_only

    def sample(self, query: str) -> Sample:
        return Sample(id="q", query=query)

    def ask(self, query: str, *, rebuild: bool = False, **settings: Any) -> SystemOutput:
        return asyncio.run(self.asked(query, rebuild=rebuild, **settings))

    async def asked(self, query: str, *, rebuild: bool = False, **settings: Any) -> SystemOutput:
        async def once(system: Any) -> SystemOutput:
            await system.prepare(rebuild=rebuild)
            output: SystemOutput = await system.answer(self.sample(query))
            return output

        return await self._with(once, settings)

    def ranking(self, query: str, **settings: Any) -> list[str]:
        return [chunk.doc_id for chunk in self.ask(query, **settings).chunks]

    def documents(self, **settings: Any) -> set[str]:
        async def all_ids(system: Any) -> set[str]:
            await system.prepare()
            return set(await system.documents())

        return self.run(all_ids, **settings)

    def info(self, **settings: Any) -> SystemInfo:
        async def told(system: Any) -> SystemInfo:
            await system.prepare()
            found: SystemInfo = system.info
            return found

        return self.run(told, **settings)

    def run(self, use: Callable[[Any], Awaitable[T]], **settings: Any) -> T:
        return asyncio.run(self._with(use, settings))

    async def _with(self, use: Callable[[Any], Awaitable[T]], settings: Mapping[str, Any]) -> T:
        client = OpenAIClient(base_url=self.base_url, retry=Retry(tries=1))

        def embedder(table: Mapping[str, Any]) -> Embedder:
            own = {key: value for key, value in table.items() if key != "use"}
            return embedders.create(own, lambda _name: client)

        def reranker(table: Mapping[str, Any]) -> Reranker:
            own = {key: value for key, value in table.items() if key != "use"}
            return endpoint.create(own, lambda _name: client)

        resources = Resources(
            root=self.root,
            state=self.root / ".ragate",
            database=self.database,
            chat=lambda _name: client,
            embedder=embedder,
            say=self.said.append,
            top_k=self._top_k,
            retrieval_only=self._retrieval_only,
            reranker=reranker,
        )
        try:
            async with create({"corpus": "docs", **settings}, resources) as system:
                return await use(system)
        finally:
            await client.aclose()
