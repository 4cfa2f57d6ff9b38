"""Embedding an index, portion by portion."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from ragate.errors import ProviderError
from ragate.models.progress import Progress, unshown
from ragate.systems.pgvector.ingest import embedded


class Reversed:
    """Gives each text its number as a vector; later portions are there sooner."""

    fingerprint = "reversed"
    deterministic = True
    portion = 3

    def __init__(self) -> None:
        self.asked: list[int] = []

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.append(len(texts))
        for _ in range(20 - int(texts[0])):
            await asyncio.sleep(0)
        if "bad" in texts:
            raise ProviderError("no")
        return np.array([[float(text)] for text in texts], dtype=np.float32)


def test_each_portion_is_shown_and_the_vectors_stand_in_the_order_of_the_texts() -> None:
    told: list[Progress] = []
    embedder = Reversed()

    vectors = asyncio.run(embedded([str(n) for n in range(8)], embedder, told.append))

    assert vectors.tolist() == [[float(n)] for n in range(8)]
    assert embedder.asked == [3, 3, 2]
    assert [each.counted for each in told] == [
        "0/8 passages",
        "2/8 passages",
        "5/8 passages",
        "8/8 passages",
    ]


def test_a_portion_that_fails_ends_it() -> None:
    with pytest.raises(ProviderError):
        asyncio.run(embedded(["1", "bad"], Reversed(), unshown))
