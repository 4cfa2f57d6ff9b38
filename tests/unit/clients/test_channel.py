"""A call that waited for its turn in the budget: what happened meanwhile counts."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from ragate.clients.budget import Budget, PlannedCall, Tally
from ragate.clients.channel import Channel
from ragate.clients.http.retry import Retry
from ragate.clients.http.transport import Transport
from ragate.errors import ProviderError


class Late:
    """A budget in which every call waits, while something happens."""

    def __init__(self) -> None:
        self.given_back: list[int] = []
        self.meanwhile = lambda: None

    async def reserve(self, call: PlannedCall) -> int:
        await asyncio.sleep(0)
        self.meanwhile()
        return 7

    def settle(self, claim: int, cost_usd: float | None) -> None:
        raise AssertionError

    def lost(self, claim: int) -> None:
        raise AssertionError

    def give_back(self, claim: int) -> None:
        self.given_back.append(claim)

    async def tell(self, tally: Tally) -> None: ...


def test_a_provider_that_was_given_up_meanwhile_is_not_asked() -> None:
    share = Late()
    budget = Budget(10, 1.0, share=share)
    transport = Transport("http://127.0.0.1:9/v1", SecretStr(""))
    channel = Channel(transport, 1.0, 2.0, 2, retry=Retry(tries=1), budget=budget)
    share.meanwhile = lambda: channel.breaker.open(ProviderError("gone", fatal=True))

    async def once(_client: object) -> None:
        raise AssertionError

    async def main() -> None:
        try:
            await channel.ask("m", once)  # type: ignore[type-var]
        finally:
            await channel.aclose()

    with pytest.raises(ProviderError, match="gone"):
        asyncio.run(main())

    assert share.given_back == [7]
    assert budget.tally.calls == 0
