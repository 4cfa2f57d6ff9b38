"""A worker at its blocks: what it says of its system, and what is wanted of it anew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ragate.pipeline.run.selection import Selection
from ragate.pipeline.workers.block_server import BlockServer
from ragate.pipeline.workers.plan_head import frozen, head_of
from ragate.queue.engine import open_queue
from ragate.queue.leases import Lease, Leases
from ragate.queue.submission import Submission
from tests.integration.workers.crew import Crew

pytestmark = pytest.mark.integration
MANY = 12  # questions of the project, in three blocks


async def nothing() -> None:
    return


class WatchedLeases(Leases):
    """Counts greetings, each a long one; `before_end` runs before the first block is ended."""

    greetings = 0
    before_end: Callable[[], Awaitable[None]] = staticmethod(nothing)

    async def greet(self, lease: Lease, greeting: str) -> str:
        self.greetings += 1
        await asyncio.sleep(0.05)
        return await super().greet(lease, greeting)

    async def end(self, lease: Lease) -> None:
        before, self.before_end = self.before_end, nothing
        await before()
        await super().end(lease)


async def served(crew: Crew, *, forgotten: tuple[str, ...] = ()) -> tuple[int, int, set[str]]:
    """Serve a plan's blocks at once; return the greetings, the answers and what is there.

    Args:
        forgotten: Ids whose outputs whoever submits takes away before the first block is ended.
    """
    config, operations = crew.machine(crew.clone("right"))
    plan = frozen(config, operations, Selection(eval_date="2026-11-23"))
    async with open_queue(crew.url) as queue:
        head = head_of(plan, "").model_dump_json()
        submission = Submission(queue, f"served {forgotten}", "a queue of its own", head)
        await submission.begin()
        await submission.add(0, list(plan.samples), rebuilds=0)
        leases = WatchedLeases(queue)
        leases.before_end = lambda: submission.forget(0, forgotten)
        server = BlockServer(config, operations, leases, url=queue.url, slots=4)
        blocks = (server.serve(submission.plan, block, final=False) for block in range(MANY // 4))
        await asyncio.gather(*blocks)
        await server.close()
        there = {each.sample for each in await submission.arrivals(0, -1)}
        return leases.greetings, server.answered, there


def test_blocks_that_are_begun_together_bring_one_greeting(crew: Crew) -> None:
    assert asyncio.run(served(crew))[:2] == (1, MANY)


def test_what_is_forgotten_while_a_worker_has_its_block_is_asked_again_there(crew: Crew) -> None:
    forgotten = ("q0000", "q0005", "q0011")

    _, answered, there = asyncio.run(served(crew, forgotten=forgotten))

    assert MANY < answered <= MANY + len(forgotten)
    assert len(there) == MANY
