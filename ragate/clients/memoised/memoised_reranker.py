"""The memory of reranking: what a model has scored for a question is not asked for again."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragate.cache import Cache
from ragate.clients.budget import Budget, no_caps
from ragate.core.hashing import digest
from ragate.protocols import Reranker


@dataclass(frozen=True)
class MemoisedReranker:
    """Asks only for questions with texts that it does not know; implements `Reranker`.

    Scores are kept beside embeddings, as one vector for a question with its texts.

    Attributes:
        address: Where the model is today: what another server said is not taken from memory.
    """

    reranker: Reranker
    cache: Cache
    budget: Budget = field(default_factory=no_caps)
    address: str = ""

    @property
    def fingerprint(self) -> str:
        return self.reranker.fingerprint

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order.

        Raises:
            ProviderError, BudgetError, ConfigError: as for the reranker.
        """
        if not texts:
            return []
        key = digest(["rerank", self.fingerprint, self.address, query, list(texts)])
        remembered = (await asyncio.to_thread(self.cache.embeddings, [key])).get(key)
        if remembered is not None and len(remembered) == len(texts):
            self.budget.reused(embeddings=1)
            return remembered
        scores = await self.reranker(query, texts)
        await asyncio.to_thread(self.cache.put_embeddings, {key: scores})
        return scores
