"""A worker says what its system is once a plan: it may name a hundred thousand documents."""

from __future__ import annotations

import asyncio

import pytest

from ragate.pipeline.run.selection import Selection
from ragate.pipeline.workers.block_server import BlockServer
from ragate.pipeline.workers.plan_head import frozen, head_of
from ragate.queue.engine import open_queue
from ragate.queue.leases import Lease, Leases
from ragate.queue.submission import Submission
from tests.integration.workers.crew import Crew

pytestmark = pytest.mark.integration


class CountedLeases(Leases):
    """Counts the greetings of a worker."""

    greetings = 0

    async def greet(self, lease: Lease, greeting: str) -> str:
        self.greetings += 1
        await asyncio.sleep(0.05)  # a long one
        return await super().greet(lease, greeting)


def test_blocks_that_are_begun_together_bring_one_greeting(crew: Crew) -> None:
    config, operations = crew.machine(crew.clone("right"))
    plan = frozen(config, operations, Selection(eval_date="2026-11-23"))

    async def go() -> tuple[int, int]:
        async with open_queue(crew.url) as queue:
            head = head_of(plan, "").model_dump_json()
            submission = Submission(queue, "a plan that is greeted", "a queue of its own", head)
            await submission.begin()
            await submission.add(0, list(plan.samples), rebuilds=0)
            leases = CountedLeases(queue)
            server = BlockServer(config, operations, leases, url=queue.url, slots=4)
            await asyncio.gather(
                *(server.serve(submission.plan, block, final=False) for block in range(3))
            )
            await server.close()
            return leases.greetings, server.answered

    assert asyncio.run(go()) == (1, len(plan.samples))
