"""The memory of embeddings: a text that a model has embedded is not embedded again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
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
        keys = [digest([self.provider, model, dimensions, text]) for text in texts]
        known = await asyncio.to_thread(self.cache.embeddings, list(dict.fromkeys(keys)))
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        self.budget.reused(embeddings=len(texts) - len(wanted))
        if wanted:
            made = await self.client.embed(
                list(wanted.values()), model=model, dimensions=dimensions
            )
            fresh = dict(zip(wanted, map(_rounded, made), strict=True))
            await asyncio.to_thread(self.cache.put_embeddings, fresh)
            known = {**known, **fresh}
        return [known[key] for key in keys]


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

        keys = [digest([self.fingerprint, text]) for text in texts]
        known = await asyncio.to_thread(self.cache.embeddings, list(dict.fromkeys(keys)))
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        self.budget.reused(embeddings=len(texts) - len(wanted))
        if wanted:
            made = await self.embedder(list(wanted.values()))
            fresh = dict(zip(wanted, made.tolist(), strict=True))
            await asyncio.to_thread(self.cache.put_embeddings, fresh)
            known = {**known, **fresh}
        return np.array([known[key] for key in keys], dtype=np.float32)


def _rounded(vector: list[float]) -> list[float]:
    found = read_vector(vector_bytes(vector))
    return vector if found is None else found
