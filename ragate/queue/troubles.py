"""Blocks that do not come to their end: given back, cancelled in the queue, or without a job."""

from __future__ import annotations

from dataclasses import dataclass

from ragate.errors import DatabaseError
from ragate.queue.engine import Queue
from ragate.queue.plan_jobs import PlanJobs


@dataclass(frozen=True)
class Trouble:
    """A block that a worker gave back, or that nobody can do.

    Attributes:
        final: No worker will try it again.
    """

    block: int
    error: str
    final: bool


async def read_troubles(queue: Queue, plan: str) -> list[Trouble]:
    """Return what workers told of blocks that are not done, what nobody can do first.

    Raises:
        DatabaseError: somebody deleted the plan.
    """
    if not await queue.rows("SELECT FROM ragate_work.plans WHERE plan = %s", plan):
        raise plan_deleted()
    query = (
        "SELECT block, error, ended IS NOT NULL FROM ragate_work.blocks "
        "WHERE plan = %s AND error IS NOT NULL ORDER BY 3 DESC, block"
    )
    return [Trouble(*row) for row in await queue.rows(query, plan)]


async def mend_lost(queue: Queue, jobs: PlanJobs) -> list[Trouble]:
    """Return blocks that are not done and whose jobs ended badly; those without a job get one.

    A worker that was given up, and comes back, removes the job of whoever has its block now.
    """
    query = "SELECT block FROM ragate_work.blocks WHERE plan = %s AND ended IS NULL"
    open_blocks = {block for (block,) in await queue.rows(query, jobs.plan)}
    open_blocks -= await jobs.blocks("todo", "doing")
    bad = (
        open_blocks & await jobs.blocks("failed", "cancelled", "aborted") if open_blocks else set()
    )
    await jobs.defer_again(sorted(open_blocks - bad))
    why = "its job failed or was cancelled in the queue"
    return [Trouble(block, why, final=True) for block in sorted(bad)]


def plan_deleted() -> DatabaseError:
    """Return the error of a run whose plan somebody deleted."""
    return DatabaseError(
        "the plan of this run was deleted from the queue's database",
        remedy="`--resume` submits what is missing again",
    )
