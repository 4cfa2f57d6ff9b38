"""A process that asks until a budget that others share is spent, and says what it was billed.

It prints a line a call, before the call, so that what a killed one had under way is known.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from ragate.clients.budget import Budget, Capped
from ragate.errors import BudgetError
from ragate.pipeline.workers.plan_budget import PlanShare
from ragate.protocols import ChatReply, ChatRequest
from ragate.queue.engine import open_queue

Range = tuple[float, float]


@dataclass(frozen=True)
class Spender:
    """How a process asks.

    Attributes:
        at_once: Calls under way.
        cost, seconds: What one costs in US dollars, and how long it takes: from, to.
        first: What the first call costs, which no later one exceeds then; None for any other's.
    """

    max_calls: int
    max_cost_usd: float
    at_once: int
    cost: Range
    seconds: Range
    first: float | None = None

    def start(self, url: str, seed: int, stdout: int | IO[str]) -> subprocess.Popen[str]:
        """Start it on a plan to which ``token <seed>`` was admitted."""
        caps = ["--calls", str(self.max_calls), "--usd", str(self.max_cost_usd)]
        call = ["--cost", *map(str, self.cost), "--seconds", *map(str, self.seconds)]
        first = [] if self.first is None else ["--first", str(self.first)]
        command = [sys.executable, "-P", __file__, url, str(seed), "--at-once", str(self.at_once)]
        return subprocess.Popen([*command, *caps, *call, *first], stdout=stdout, text=True)

    async def spend(self, url: str, seed: int) -> None:
        """Ask until a cap is reached."""
        chance = random.Random(seed)
        costs: Iterator[float] = iter([] if self.first is None else [self.first])

        async def model(request: ChatRequest, *, draw: int = 0) -> ChatReply:
            cost = next(costs, None) or chance.uniform(*self.cost)
            print(cost, flush=True)
            await asyncio.sleep(chance.uniform(*self.seconds))
            return ChatReply("so", 1, 1, cost)

        async def ask() -> None:
            while True:
                try:
                    await client(ChatRequest("m", (("user", "q"),)))
                except BudgetError:
                    return

        caps = {"max_calls": self.max_calls, "max_cost_usd": self.max_cost_usd}
        async with open_queue(url) as queue:
            share = PlanShare(queue, f"token {seed}", caps, paced=frozenset())
            budget = Budget(max_calls=self.max_calls, max_cost_usd=self.max_cost_usd, share=share)
            client = Capped(model, budget)
            await asyncio.gather(*(ask() for _ in range(self.at_once)))
            await share.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("seed", type=int)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--usd", type=float, required=True)
    parser.add_argument("--at-once", type=int, required=True)
    parser.add_argument("--cost", type=float, nargs=2, required=True)
    parser.add_argument("--seconds", type=float, nargs=2, required=True)
    parser.add_argument("--first", type=float)
    given = parser.parse_args()
    spender = Spender(
        given.calls,
        given.usd,
        given.at_once,
        tuple(given.cost),
        tuple(given.seconds),
        given.first,
    )
    asyncio.run(spender.spend(given.url, given.seed))


if __name__ == "__main__":
    main()
