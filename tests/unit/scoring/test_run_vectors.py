"""Every distinct text of a run is embedded once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ragate.errors import ProviderError
from ragate.scoring.asked_metrics import RunVectors


class Counting:
    """Gives each text its length as a vector, and keeps what it was asked."""

    fingerprint = "counting"
    deterministic = True
    portion = 64

    def __init__(self, answer: Any = None) -> None:
        self.asked: list[list[str]] = []
        self._answer = answer

    async def __call__(self, texts: Sequence[str]) -> Any:
        self.asked.append(list(texts))
        if self._answer is not None:
            return self._answer
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


def test_a_text_is_embedded_once_whoever_asks_again() -> None:
    embedder = Counting()
    vectors = RunVectors(embedder)

    async def ask() -> dict[str, Any]:
        await vectors.of(["a", "bb", "a"])
        return await vectors.of(["bb", "ccc", "\ud800"])

    found = asyncio.run(ask())

    assert embedder.asked == [["a", "bb"], ["ccc", "\ud800"]]
    assert found["bb"].tolist() == [2.0, 1.0]
    assert found["ccc"].tolist() == [3.0, 1.0]


def test_nothing_is_asked_where_nothing_is_wanted() -> None:
    embedder = Counting()

    assert asyncio.run(RunVectors(embedder).of([])) == {}
    assert embedder.asked == []


def test_beyond_the_memory_the_oldest_is_asked_for_again() -> None:
    embedder = Counting()
    vectors = RunVectors(embedder, most_bytes=16)

    async def ask() -> dict[str, Any]:
        for text in ("a", "bb", "ccc"):
            await vectors.of([text])
        return await vectors.of(["a", "ccc"])

    found = asyncio.run(ask())

    assert embedder.asked[-1] == ["a"]
    assert found["a"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([[1.0, 2.0]], "the embedder gave 1x2 numbers for 2 texts"),
        ([1.0, 2.0], "the embedder gave 2 numbers for 2 texts"),
        ([[], []], "the embedder gave 2x0 numbers for 2 texts"),
        ([[1.0, float("nan")], [1.0, 1.0]], "no finite numbers"),
    ],
)
def test_an_embedder_that_gives_anything_else_is_an_error(answer: Any, message: str) -> None:
    with pytest.raises(ProviderError, match=message):
        asyncio.run(RunVectors(Counting(answer)).of(["a", "b"]))
