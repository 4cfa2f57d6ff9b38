"""A reranker that remembers what it was asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ragate.cache import CACHE_NAME, Cache
from ragate.clients.memoised.memoised_reranker import MemoisedReranker
from tests.unit.systems.pgvector.search.rerank_factories import Given


def test_a_known_question_with_the_same_texts_is_not_asked_again(tmp_path: Path) -> None:
    model = Given(0.25, 0.5)
    with Cache(tmp_path / CACHE_NAME) as cache:
        remembered = MemoisedReranker(model, cache)
        first = asyncio.run(remembered("q", ["a", "b"]))
        again = asyncio.run(remembered("q", ["a", "b"]))
        asyncio.run(remembered("q", ["b", "a"]))

    assert first == again == [0.25, 0.5]
    assert len(model.asked) == 2
