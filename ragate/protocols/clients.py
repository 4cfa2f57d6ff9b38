"""What is asked over a network: chat models, embedders and rerankers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def deterministic(self) -> bool:
        """True where the same text gives the same vector, bit by bit, on any machine."""
        ...

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return an array of shape (len(texts), dimension)."""
        ...


class Reranker(Protocol):
    """Says how well each text answers a question."""

    @property
    def fingerprint(self) -> str: ...

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order; higher is better, whatever the scale."""
        ...


@dataclass(frozen=True)
class ChatRequest:
    """One chat completion: what is sent, whole; its hash is the request's identity.

    Attributes:
        tries: Replies that cannot be read, after which it is given up; not sent.
    """

    model: str
    messages: tuple[tuple[str, str], ...]  # (role, content)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tries: int = 3


@dataclass(frozen=True)
class ChatReply:
    """What came back, with the tokens that the server counted.

    Attributes:
        cost_usd: None where the price is not known.
        reused: Taken from memory: nothing was sent. Tokens and cost are those of the call that made
            it, 0 and None where memory does not know them.
        unreadable: Replies before this one that could not be read.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    finish_reason: str = ""
    reused: bool = False
    unreadable: int = 0


class ChatClient(Protocol):
    """Chat completions of one provider."""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Return the reply.

        Args:
            draw: Which of several answers to the same request is wanted; only a memory of requests
                tells them apart, and the pass is the natural number.

        Raises:
            ProviderError: the provider failed after retries, or refused.
            BudgetError: a cap of the policy is reached.
        """
        ...
