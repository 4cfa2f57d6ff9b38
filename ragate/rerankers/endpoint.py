"""Reranking by a service: ``[system.rerank]`` with ``use = "endpoint"``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from pydantic import Field

from ragate.core.hashing import digest
from ragate.models import Frozen
from ragate.settings import read_settings


class Settings(Frozen):
    """A server that orders passages.

    Attributes:
        provider: A table of `[policy.providers]`; `/rerank` is added to its address.
        model: The model; empty for a server that has only one.
        form: The JSON of Cohere, Jina and vLLM, or that of Text Embeddings Inference.
    """

    provider: str = Field(min_length=1)
    model: str = ""
    form: Literal["cohere", "tei"] = "cohere"


class RerankClient(Protocol):
    """The part of `ragate.clients.openai.OpenAIClient` that is used here."""

    async def rerank(
        self, query: str, texts: Sequence[str], *, model: str = "", form: str = "cohere"
    ) -> list[float]: ...


class EndpointReranker:
    """Implements `ragate.protocols.Reranker`."""

    def __init__(self, settings: Settings, client: RerankClient) -> None:
        self._settings = settings
        self._client = client

    @property
    def fingerprint(self) -> str:
        """Identity of the scores: who gives them."""
        settings = self._settings
        return f"endpoint:{digest([settings.provider, settings.model, settings.form])}"

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order.

        Raises:
            ProviderError: the provider failed after retries.
        """
        if not texts:
            return []
        # An empty text is refused by some servers; a space means as little.
        sent = [text if text.strip() else " " for text in texts]
        settings = self._settings
        return await self._client.rerank(query, sent, model=settings.model, form=settings.form)


def create(settings: Mapping[str, Any], clients: Callable[[str], RerankClient]) -> EndpointReranker:
    """Return the reranker.

    Args:
        clients: The client of a provider, by name.

    Raises:
        ConfigError: a key is unknown or wrong.
    """
    keys = read_settings(Settings, settings, where="[system.rerank]")
    return EndpointReranker(keys, clients(keys.provider))
