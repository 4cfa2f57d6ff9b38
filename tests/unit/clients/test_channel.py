"""A call that waited for its turn in the budget: what happened meanwhile counts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
from pydantic import SecretStr

from ragate.clients.budget import Budget
from ragate.clients.channel import Channel
from ragate.clients.http.retry import Retry
from ragate.clients.http.transport import Transport
from ragate.errors import ProviderError


class Late(Budget):
    """A budget in which every call waits, while something happens."""

    meanwhile: Callable[[], None]

    async def reserve(self, provider: str = "", *, again: bool = False) -> None:
        await super().reserve(provider, again=again)
        self.meanwhile()


def test_a_provider_that_was_given_up_meanwhile_is_not_asked() -> None:
    budget = Late(10, 1.0)
    transport = Transport("http://127.0.0.1:9/v1", SecretStr(""))
    channel = Channel(transport, 1.0, 2.0, 2, retry=Retry(tries=1), budget=budget)
    budget.meanwhile = lambda: channel.breaker.open(ProviderError("gone", fatal=True))

    async def once(_client: object) -> None:
        raise AssertionError

    async def main() -> None:
        try:
            await channel.ask("m", once)  # type: ignore[type-var]
        finally:
            await channel.aclose()

    with pytest.raises(ProviderError, match="gone"):
        asyncio.run(main())

    assert budget.tally.calls == 0
    assert budget.tally.calls == 0


def test_where_no_time_is_left_the_failure_before_is_told() -> None:
    budget = Late(10, 1.0)
    transport = Transport("http://127.0.0.1:9/v1", SecretStr(""))
    retry = Retry(tries=3, uniform=lambda low, _high: low)
    channel = Channel(transport, 0.05, 0.5, 2, retry=retry, budget=budget)
    waits = iter([0.0, 0.6])  # the second call waits for its turn until nothing is left
    budget.meanwhile = lambda: time.sleep(next(waits))

    async def silent(_client: object) -> None:
        await asyncio.sleep(10.0)

    async def main() -> None:
        try:
            await channel.ask("m", silent)  # type: ignore[type-var]
        finally:
            await channel.aclose()

    with pytest.raises(ProviderError, match=r"no answer within 0\.05 s; no time was left .*1 try"):
        asyncio.run(main())
