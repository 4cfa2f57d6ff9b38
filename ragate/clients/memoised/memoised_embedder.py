"""The memory of embeddings: a text that a model has embedded is not embedded again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from ragate.cache import Cache
from ragate.cache.rows import read_vector, vector_bytes
from ragate.clients.budget import Budget, no_caps
from ragate.core.hashing import digest
from ragate.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class EmbeddingClient(Protocol):
    """The part of `ragate.clients.openai.OpenAIClient` that embeds."""

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]: ...


@dataclass(frozen=True)
class MemoisedEmbeddings:
    """An embedding client that asks only for texts it does not know.

    Vectors are kept as 32-bit floats, and returned so the first time too: the same every time.

    Attributes:
        provider: Where the model is: part of a vector's identity.
    """

    client: EmbeddingClient
    cache: Cache
    provider: str = ""
    budget: Budget = field(default_factory=no_caps)

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        """Return one embedding a text, in order; at most one call.

        Raises:
            ProviderError, BudgetError: as for the client.
        """

        async def embed(unknown: list[str]) -> list[list[float]]:
            vectors = await self.client.embed(unknown, model=model, dimensions=dimensions)
            return list(map(_rounded, vectors))

        keys = [digest([self.provider, model, dimensions, text]) for text in texts]
        return await _remembered(self.cache, self.budget, keys, texts, embed)


@dataclass(frozen=True)
class MemoisedEmbedder:
    """A local model that embeds only texts it does not know; implements `Embedder`."""

    embedder: Embedder
    cache: Cache
    budget: Budget = field(default_factory=no_caps)

    @property
    def fingerprint(self) -> str:
        return self.embedder.fingerprint

    @property
    def deterministic(self) -> bool:
        return self.embedder.deterministic

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector a text, in order.

        Raises:
            ConfigError: the model cannot be loaded.
        """
        import numpy as np

        async def embed(unknown: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = (await self.embedder(unknown)).tolist()
            return vectors

        keys = [digest([self.fingerprint, text]) for text in texts]
        rows = await _remembered(self.cache, self.budget, keys, texts, embed)
        return np.array(rows, dtype=np.float32)


async def _remembered(
    cache: Cache,
    budget: Budget,
    keys: Sequence[str],
    texts: Sequence[str],
    embed: Callable[[list[str]], Awaitable[list[list[float]]]],
) -> list[list[float]]:
    """Return one vector a text, in order; `embed` makes those that the cache does not hold."""
    vectors = await asyncio.to_thread(cache.embeddings, list(dict.fromkeys(keys)))
    unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    budget.reused(embeddings=len(texts) - len(unknown))
    if unknown:
        fresh = dict(zip(unknown, await embed(list(unknown.values())), strict=True))
        await asyncio.to_thread(cache.put_embeddings, fresh)
        vectors |= fresh
    return [vectors[key] for key in keys]


def _rounded(vector: list[float]) -> list[float]:
    rounded = read_vector(vector_bytes(vector))
    return vector if rounded is None else rounded
