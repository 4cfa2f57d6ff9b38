"""The jobs of one plan, one a block, as Procrastinate has them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ragate.queue.engine import TASK, Queue
from ragate.queue.stalled_jobs import retry_stalled

if TYPE_CHECKING:
    from procrastinate.jobs import Job
    from procrastinate.manager import JobManager

_KEPT_HOURS = 7 * 24
# A plan is there before its jobs. No worker listens any more to the queue of an old commit.
_ORPHANS = """
SELECT j.id FROM ragate_queue.procrastinate_jobs j
WHERE j.status = 'todo' AND j.args ? 'plan'
    AND NOT EXISTS (SELECT FROM ragate_work.plans p WHERE p.plan = j.args ->> 'plan')
ORDER BY j.id LIMIT 5000
"""


@dataclass(frozen=True)
class PlanJobs:
    """What is done with them; nothing of a queue is done by ourselves.

    Attributes:
        plan: Whose they are.
        queue_name: Procrastinate's queue.
        priority: Among the jobs of that queue, the highest first.
    """

    queue: Queue
    plan: str
    queue_name: str
    priority: int

    @property
    def _manager(self) -> JobManager:
        return self.queue.app.job_manager

    async def defer(self, blocks: Iterable[int], connection: Any) -> None:
        """Let workers have blocks, in the transaction of a connection.

        Raises:
            AlreadyEnqueued: one of them waits already.
        """
        from procrastinate.jobs import Job

        jobs = [
            Job(
                queue=self.queue_name,
                lock=None,
                queueing_lock=f"{self.plan}:{block}",
                task_name=TASK,
                priority=self.priority,
                task_kwargs={"plan": self.plan, "block": block},
            )
            for block in blocks
        ]
        await self._manager.batch_defer_jobs_async(jobs, connection)

    async def defer_again(self, blocks: Iterable[int]) -> None:
        """Let workers have blocks whose jobs are gone."""
        from procrastinate.exceptions import AlreadyEnqueued

        async def call(block: int) -> None:
            async with self.queue.pool.connection() as connection:
                await self.defer([block], connection)

        for block in blocks:
            with suppress(AlreadyEnqueued):  # it came meanwhile
                await self.queue.patient(partial(call, block))

    async def blocks(self, *states: str) -> set[int]:
        """Return the blocks whose jobs are in states of Procrastinate's, and not to be ended."""
        found = await self._in(*states)
        return {int(str(job.task_kwargs["block"])) for job in found if not job.abort_requested}

    async def _in(self, *states: str) -> list[Job]:
        async def call() -> list[Job]:
            found: list[Job] = []
            for state in states:
                found += await self._manager.list_jobs_async(queue=self.queue_name, status=state)
            return [job for job in found if job.task_kwargs.get("plan") == self.plan]

        return await self.queue.patient(call)

    async def at_work(self) -> int:
        """Return how many blocks workers have now, of any plan of this queue."""

        async def call() -> int:
            found = await self._manager.list_queues_async(queue=self.queue_name)
            return sum(int(each["doing"]) for each in found)

        return await self.queue.patient(call)

    async def under_way(self) -> int:
        """Return how many blocks of this plan workers have now, told to end or not."""
        return len(await self._in("doing"))

    async def retry_stalled(self) -> None:
        """Give blocks of workers without a heartbeat to others."""
        await retry_stalled(self.queue, self.queue_name)

    async def cancel(self, state: str) -> None:
        """Take jobs back that wait (``todo``), or end those that run (``doing``), all at once."""

        async def call() -> None:
            found = await self._in(state)
            async with self.queue.pool.connection() as connection:
                for job in found:
                    await self._manager.cancel_job_by_id_async(
                        job.id or 0,
                        abort=state == "doing",
                        delete_job=state == "todo",
                        connection=connection,
                    )

        await self.queue.patient(call)

    async def delete_old(self) -> None:
        """Delete jobs of any queue that ended a week ago, or wait for a plan that is gone."""

        async def call() -> None:
            await self._manager.delete_old_jobs(
                nb_hours=_KEPT_HOURS,
                include_failed=True,
                include_cancelled=True,
                include_aborted=True,
            )
            async with self.queue.pool.connection() as connection:
                for (job,) in await (await connection.execute(_ORPHANS.encode())).fetchall():
                    await self._manager.cancel_job_by_id_async(
                        job, abort=False, delete_job=True, connection=connection
                    )

        await self.queue.patient(call)
