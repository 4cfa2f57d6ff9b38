"""A worker at its blocks: what it says of its system, and what is wanted of it anew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.workers.plan_head import frozen, head_of
from ragate.pipeline.workers.work import BlockServer
from ragate.queue.engine import open_queue
from ragate.queue.leases import Lease, Leases
from ragate.queue.submission import Submission
from tests.integration.workers.crew import Crew

pytestmark = pytest.mark.integration
MANY = 12  # questions of the project, in three blocks


async def nothing() -> None:
    return


class WatchedLeases(Leases):
    """Counts greetings, each a long one, and blocks given up; `before_end` runs before the first
    block is ended.
    """

    greetings = given_up = 0
    before_end: Callable[[], Awaitable[None]] = staticmethod(nothing)

    async def greet(self, lease: Lease, greeting: str) -> str:
        self.greetings += 1
        await asyncio.sleep(0.05)
        return await super().greet(lease, greeting)

    async def give_up(self, lease: Lease) -> None:
        self.given_up += 1
        await super().give_up(lease)

    async def end(self, lease: Lease) -> None:
        before, self.before_end = self.before_end, nothing
        await before()
        await super().end(lease)


async def served(
    crew: Crew, *, forgotten: tuple[str, ...] = (), taken: bool = False
) -> tuple[WatchedLeases, int, set[str]]:
    """Serve a plan's blocks at once; return the leases, the answers and what is there.

    Args:
        forgotten: Ids whose outputs whoever submits takes away before the first block is ended.
        taken: All blocks are given to another worker before.
    """
    config, operations = crew.machine(crew.clone("right"))
    plan = frozen(config, operations, Selection(eval_date="2026-11-23"))
    async with open_queue(crew.url) as queue:
        head = head_of(plan, "").model_dump_json()
        submission = Submission(queue, f"served {forgotten} {taken}", "a queue of its own", head)
        await submission.begin()
        await submission.add(0, list(plan.samples), rebuilds=0)
        leases = WatchedLeases(queue)

        async def take() -> None:
            for block in range(MANY // 4):
                await Leases(queue).begin(submission.plan, block)

        leases.before_end = take if taken else lambda: submission.forget(0, forgotten)
        server = BlockServer(config, operations, leases, slots=4)
        blocks = (server.serve(submission.plan, block) for block in range(MANY // 4))
        await asyncio.gather(*blocks)
        await server.close()
        there = {each.sample for each in await submission.arrivals(0, -1)}
        return leases, server.answered, there


def test_blocks_that_are_begun_together_bring_one_greeting(crew: Crew) -> None:
    leases, answered, _ = asyncio.run(served(crew))

    assert (leases.greetings, answered) == (1, MANY)


def test_a_worker_whose_blocks_were_given_to_another_says_that_it_lives(crew: Crew) -> None:
    leases, _, _ = asyncio.run(served(crew, taken=True))

    assert leases.given_up == MANY // 4


def test_what_is_forgotten_while_a_worker_has_its_block_is_asked_again_there(crew: Crew) -> None:
    forgotten = ("q0000", "q0005", "q0011")

    _, answered, there = asyncio.run(served(crew, forgotten=forgotten))

    assert MANY < answered <= MANY + len(forgotten)
    assert len(there) == MANY
