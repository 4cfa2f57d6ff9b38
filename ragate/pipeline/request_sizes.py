"""Requests that are measured in place of being sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from ragate.clients.prices import Price, price_of
from ragate.config import Config
from ragate.errors import ProviderError
from ragate.models import SystemOutput
from ragate.protocols import ChatReply, ChatRequest

CHARS_PER_TOKEN = 4
JUDGEMENT_TOKENS = 500


@dataclass
class Sizes:
    """Requests that would be sent: how many, their tokens by rule of thumb, and their price."""

    calls: int = 0
    prompt_tokens: int = 0
    cost_usd: float | None = 0.0

    def add(self, request: ChatRequest, price: Price | None, *, output_tokens: int) -> None:
        tokens = sum(len(content) for _, content in request.messages) // CHARS_PER_TOKEN
        self._count(1, tokens, price, output_tokens=output_tokens)

    def add_unbuilt(self, output: SystemOutput, calls: int, price: Price | None) -> None:
        """Count the calls of a judge that sends them by ways of its own: at least one a criterion.

        Such a judge is not asked even for an estimate, since nothing would hold its requests back.
        """
        texts = [output.answer or "", *(chunk.text for chunk in output.chunks)]
        tokens = calls * sum(map(len, texts)) // CHARS_PER_TOKEN
        self._count(calls, tokens, price, output_tokens=calls * JUDGEMENT_TOKENS)

    def _count(self, calls: int, tokens: int, price: Price | None, *, output_tokens: int) -> None:
        self.calls += calls
        self.prompt_tokens += tokens
        if price is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += price.of(input_tokens=tokens, output_tokens=output_tokens)


@dataclass
class Unsent:
    """A client that measures requests in place of sending them."""

    prices: dict[str, Price]
    output_tokens: int
    sizes: Sizes

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        del draw
        price = price_of(request.model, self.prices)
        self.sizes.add(request, price, output_tokens=self.output_tokens)
        _not_sent()

    async def embed(self, _texts: Sequence[str], **_settings: object) -> NoReturn:
        _not_sent()


def _not_sent() -> NoReturn:
    raise ProviderError("not sent: this is an estimate")


def prices_of(config: Config, name: str) -> dict[str, Price]:
    """Return the prices of a provider by model."""
    provider = config.policy.providers.get(name)
    return dict(provider.prices) if provider is not None else {}
