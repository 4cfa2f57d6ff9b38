"""The memory of a local model's vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragate.cache import CACHE_NAME, Cache
from ragate.clients.budget import no_caps
from ragate.clients.memoised.memoised_embedder import MemoisedEmbedder, MemoisedEmbeddings


class Lengths:
    deterministic = False

    def __init__(self, fingerprint: str = "lengths") -> None:
        self.fingerprint = fingerprint
        self.asked: list[list[str]] = []

    async def __call__(self, texts: Sequence[str]) -> Any:
        self.asked.append(list(texts))
        return np.array([[len(text) / 3, 1.0] for text in texts], dtype=np.float32)


class Embedder:
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        self.texts += texts
        return [[len(text) / 3.0, 0.1] for text in texts]


def test_a_known_text_is_not_embedded_again_and_has_the_same_vector(tmp_path: Path) -> None:
    model, budget = Lengths(), no_caps()
    with Cache(tmp_path / CACHE_NAME) as cache:
        remembered = MemoisedEmbedder(model, cache, budget)
        first = asyncio.run(remembered(["a", "bb", "a"]))
        second = asyncio.run(remembered(["bb", "ccc"]))

    assert model.asked == [["a", "bb"], ["ccc"]]
    assert first.dtype == np.float32
    assert first[1].tobytes() == second[0].tobytes()
    assert first[0].tobytes() == first[2].tobytes()
    assert budget.snapshot().embeddings_reused == 2
    assert (remembered.fingerprint, remembered.deterministic) == ("lengths", False)


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    one, other = Lengths("one"), Lengths("other")
    with Cache(tmp_path / CACHE_NAME) as cache:
        asyncio.run(MemoisedEmbedder(one, cache)(["a"]))
        asyncio.run(MemoisedEmbedder(other, cache)(["a"]))

    assert (one.asked, other.asked) == ([["a"]], [["a"]])


def test_a_text_is_embedded_once_by_a_model(cache: Cache) -> None:
    inner, budget = Embedder(), no_caps()
    client = MemoisedEmbeddings(inner, cache, "p", budget)

    first = asyncio.run(client.embed(["a", "bb", "a"], model="e"))
    again = asyncio.run(client.embed(["bb", "ccc", "a"], model="e"))

    assert inner.texts == ["a", "bb", "ccc"]
    assert [first[1], first[0]] == [again[0], again[2]]
    assert budget.tally.embeddings_reused == 3


def test_vectors_of_other_models_and_lengths_are_others(cache: Cache) -> None:
    inner = Embedder()
    for model, dimensions in (("e", None), ("f", None), ("e", 2)):
        client = MemoisedEmbeddings(inner, cache, "p")
        asyncio.run(client.embed(["a"], model=model, dimensions=dimensions))
    asyncio.run(MemoisedEmbeddings(inner, cache, "q").embed(["a"], model="e"))

    assert inner.texts == ["a"] * 4
