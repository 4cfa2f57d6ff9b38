"""The help desk of a bicycle workshop: its pages, found and put together by LlamaIndex."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import (
    CompletionResponse,
    CompletionResponseGen,
    CustomLLM,
    LLMMetadata,
)

PAGES = Path(__file__).parent / "docs"
SIZE = 256


class WordEmbedding(BaseEmbedding):
    """Counts words: good enough for a handful of pages, and it runs offline."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * SIZE
        for word in re.findall(r"[a-z]{4,}", text.lower()):
            place = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            vector[place % SIZE] += 1.0
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class FirstSentence(CustomLLM):
    """Answers with the first line of the pages: no key, no bill."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        pages = prompt.split("---------------------")[1].splitlines()
        lines = [line for line in pages if line and not line.startswith(("#", "file_"))]
        return CompletionResponse(text=lines[0])

    def stream_complete(
        self, prompt: str, formatted: bool = False, **_: Any
    ) -> CompletionResponseGen:
        yield self.complete(prompt, formatted)


def build() -> BaseQueryEngine:
    """Return the engine that the chat window asks."""
    pages = SimpleDirectoryReader(str(PAGES), recursive=True).load_data()
    index = VectorStoreIndex.from_documents(pages, embed_model=WordEmbedding())
    return index.as_query_engine(similarity_top_k=6, llm=FirstSentence())


if __name__ == "__main__":
    print(build().query(input("? ")))
