"""Embeddings of any OpenAI-compatible server: ``[system.embedder]`` with ``use = "openai"``."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragate.core.hashing import digest
from ragate.models import Frozen
from ragate.settings import read_settings


class Settings(Frozen):
    """An embedding model of a provider.

    Attributes:
        provider: A table of `[policy.providers]`.
        model: The embedding model.
        dimensions: Shorter vectors, where the model offers them.
        batch_size: Texts in one call.
    """

    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)
    dimensions: int | None = Field(default=None, ge=1, le=16_000)
    batch_size: int = Field(default=64, ge=1, le=2048)


class ProviderEmbeddings(Protocol):
    """The part of `ragate.clients.openai.OpenAIClient` that is used here."""

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]: ...


class OpenAIEmbedder:
    """Implements `ragate.protocols.Embedder`."""

    deterministic = False  # a service may give the same text slightly other numbers

    def __init__(self, settings: Settings, client: ProviderEmbeddings) -> None:
        self._settings = settings
        self._client = client

    @property
    def fingerprint(self) -> str:
        """Identity of the vectors: who makes them, and how long they are."""
        settings = self._settings
        return f"openai:{digest([settings.provider, settings.model, settings.dimensions])}"

    @property
    def portion(self) -> int:
        """One call."""
        return self._settings.batch_size

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the embeddings, in order; batches are sent at once, the client limits how many.

        Raises:
            ProviderError: the provider failed after retries.
        """
        settings = self._settings
        batches = [
            texts[i : i + settings.batch_size] for i in range(0, len(texts), settings.batch_size)
        ]
        replies = await asyncio.gather(
            *(
                # An empty text is refused by some servers; a space means as little.
                self._client.embed(
                    [text if text.strip() else " " for text in batch],
                    model=settings.model,
                    dimensions=settings.dimensions,
                )
                for batch in batches
            )
        )
        return np.array([vector for batch in replies for vector in batch], dtype=np.float32)


def create(
    settings: Mapping[str, Any], clients: Callable[[str], ProviderEmbeddings]
) -> OpenAIEmbedder:
    """Return the embedder.

    Args:
        clients: The client of a provider, by name.

    Raises:
        ConfigError: a key is unknown or wrong.
    """
    keys = read_settings(Settings, settings, where="[system.embedder]")
    return OpenAIEmbedder(keys, clients(keys.provider))
