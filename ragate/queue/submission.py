"""What whoever submits a plan does with the queue: blocks go in, outputs and errors come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ragate.errors import DatabaseError
from ragate.queue.engine import STALLED_S, TASK, Queue

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
BLOCK_SIZE = 4  # samples: the end of a run is even, and a job's cost small beside a question's
BYTES_AT_ONCE = 32 * 2**20  # a worker that is not trusted fills no memory
_AT_ONCE = 200
_KEPT_DAYS = 7
_NEXT = """
WITH next AS (
    SELECT * FROM ragate_work.outputs
    WHERE plan = %s AND pass = %s AND number > %s ORDER BY number LIMIT 500
)
SELECT number, sample, line FROM (
    SELECT *, sum(octet_length(line)) OVER up AS bytes, row_number() OVER up AS place
    FROM next WINDOW up AS (ORDER BY number)
) AS numbered
WHERE bytes <= %s OR place = 1 ORDER BY number
"""
_TOLD = """
SELECT block, error, ended IS NOT NULL FROM ragate_work.blocks
WHERE plan = %s AND error IS NOT NULL ORDER BY 3 DESC, block
"""


@dataclass(frozen=True)
class Arrival:
    """One output, as a worker appended it.

    Attributes:
        number: Its place among the outputs of the plan, in the order of their commits.
    """

    number: int
    sample: str
    line: str


@dataclass(frozen=True)
class Trouble:
    """A block that a worker gave back, or that nobody can do.

    Attributes:
        final: No worker will try it again.
    """

    block: int
    error: str
    final: bool


class Submission:
    """One run in the queue.

    Args:
        plan: Names this run of this plan: the same one submitted twice is one.
        queue_name: What a checkout must have that serves it.
        head: What a worker has to know of the plan.
        role: Whose workers alone may serve it; "" for any.
        priority: Among the jobs of the queue, the highest first.
    """

    def __init__(
        self,
        queue: Queue,
        plan: str,
        queue_name: str,
        head: str,
        *,
        role: str = "",
        priority: int = 0,
    ) -> None:
        self.plan = plan
        self.queue_name = queue_name
        self.jobs = PlanJobs(queue, plan, queue_name, priority)
        self._queue = queue
        self._head = head
        self._role = role
        self._next = 0
        self._covered: dict[int, set[str]] = {}

    async def begin(self) -> bool:
        """Put the plan into the database; return True where it was there.

        Blocks of it that no worker has are taken back then: what they lack is submitted anew. Plans
        that nobody went on with for a week are deleted.
        """
        rows = self._queue.rows
        query = "DELETE FROM ragate_work.plans WHERE created < now() - make_interval(days => %s)"
        await rows(query, _KEPT_DAYS)
        await self.jobs.delete_old()
        made = await rows(
            "INSERT INTO ragate_work.plans (plan, queue, role, head) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT DO NOTHING RETURNING plan",
            *(self.plan, self.queue_name, self._role, self._head),
        )
        if made:
            return False
        await self.jobs.cancel("todo")
        query = "UPDATE ragate_work.plans SET ended = NULL, created = now() WHERE plan = %s"
        await rows(query, self.plan)
        held = list(await self.jobs.blocks("doing"))
        # What is not held is submitted anew, and what went wrong with it was told.
        await rows(
            "UPDATE ragate_work.blocks SET ended = coalesce(ended, now()), error = NULL, "
            "token_hash = NULL WHERE plan = %s AND block <> ALL(%s)",
            *(self.plan, held),
        )
        query = "SELECT pass, samples FROM ragate_work.blocks WHERE plan = %s AND block = ANY(%s)"
        for run, samples in await rows(query, self.plan, held):
            self._covered.setdefault(run, set()).update(samples)
        query = "SELECT coalesce(max(block) + 1, 0) FROM ragate_work.blocks WHERE plan = %s"
        self._next = int((await rows(query, self.plan))[0][0])
        return True

    async def forget(self, run: int, samples: Sequence[str]) -> None:
        """Remove outputs, which are to be asked for again."""
        await self._queue.rows(
            "DELETE FROM ragate_work.outputs WHERE plan = %s AND pass = %s AND sample = ANY(%s)",
            *(self.plan, run, list(samples)),
        )

    async def add(self, run: int, samples: Sequence[str], *, rebuilds: int) -> None:
        """Submit blocks of one pass; what a worker asks already is left out.

        Args:
            samples: Ids; none makes one block that only opens the system.
            rebuilds: How often the system is to have been made anew before.
        """
        covered = self._covered.pop(run, set())
        wanted = [sample for sample in samples if sample not in covered]
        if samples and not wanted:
            return
        blocks = [
            wanted[start : start + BLOCK_SIZE] for start in range(0, len(wanted) or 1, BLOCK_SIZE)
        ]
        for start in range(0, len(blocks), _AT_ONCE):
            some = blocks[start : start + _AT_ONCE]
            first = self._next
            self._next += len(some)
            await self._queue.patient(partial(self._put, run, rebuilds, first, some))

    async def _put(
        self, run: int, rebuilds: int, first: int, blocks: Sequence[Sequence[str]]
    ) -> None:
        """Insert blocks and their jobs, all or none."""
        from procrastinate.exceptions import AlreadyEnqueued
        from psycopg.errors import ForeignKeyViolation

        numbers = range(first, first + len(blocks))
        insert = (
            "INSERT INTO ragate_work.blocks (plan, block, pass, rebuilds, samples) "
            "VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
        )
        rows = [
            (self.plan, number, run, rebuilds, list(samples))
            for number, samples in zip(numbers, blocks, strict=True)
        ]
        try:
            async with self._queue.pool.connection() as connection:
                await connection.cursor().executemany(insert, rows)
                await self.jobs.defer(numbers, connection)
        except AlreadyEnqueued:  # the answer to an earlier try was lost
            return
        except ForeignKeyViolation as error:
            raise _plan_deleted() from error

    async def arrivals(self, run: int, after: int) -> list[Arrival]:
        """Return the next outputs of one pass in the order of their commits: fewer if large.

        Args:
            after: The last number that is known, -1 for none.
        """
        found = await self._queue.rows(_NEXT, self.plan, run, after, BYTES_AT_ONCE)
        return [Arrival(*row) for row in found]

    async def greeting(self) -> str | None:
        """Return what the first worker said of its system, None where none has come yet."""
        query = "SELECT greeting FROM ragate_work.plans WHERE plan = %s"
        found = await self._queue.rows(query, self.plan)
        return found[0][0] if found else None

    async def troubles(self, *, lost: bool = False) -> list[Trouble]:
        """Return blocks that were given back and are not done, those that nobody can do first.

        Args:
            lost: Look for blocks as well whose jobs are gone.

        Raises:
            DatabaseError: somebody deleted the plan.
        """
        rows = self._queue.rows
        if not await rows("SELECT FROM ragate_work.plans WHERE plan = %s", self.plan):
            raise _plan_deleted()
        told = [Trouble(*row) for row in await rows(_TOLD, self.plan)]
        return [*await self._mend_lost(), *told] if lost else told

    async def _mend_lost(self) -> list[Trouble]:
        """Return blocks that are not done and whose jobs ended badly; those without a job get one.

        A worker that was given up, and comes back, removes the job of whoever has its block now.
        """
        query = "SELECT block FROM ragate_work.blocks WHERE plan = %s AND ended IS NULL"
        left = {block for (block,) in await self._queue.rows(query, self.plan)}
        left -= await self.jobs.blocks("todo", "doing")
        bad = left & await self.jobs.blocks("failed", "cancelled", "aborted") if left else set()
        await self.jobs.defer_again(sorted(left - bad))
        why = "its job failed or was cancelled in the queue"
        return [Trouble(block, why, final=True) for block in sorted(bad)]

    async def cancel(self) -> None:
        """Take everything back that is not done; what came of it stays, for `--resume`."""
        await self._queue.rows(
            "UPDATE ragate_work.plans SET ended = now() WHERE plan = %s", self.plan
        )
        await self.jobs.cancel("todo")
        await self.jobs.cancel("doing")


async def delete_plan(queue: Queue, plan: str) -> None:
    """Delete a plan, with its blocks and outputs."""
    await queue.rows("DELETE FROM ragate_work.plans WHERE plan = %s", plan)


def _plan_deleted() -> DatabaseError:
    return DatabaseError(
        "the plan of this run was deleted from the queue's database",
        remedy="`--resume` submits what is missing again",
    )


# The jobs of one plan, one a block, as Procrastinate has them.


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
        """Return how many blocks workers that live have now, of any plan of this queue."""

        async def call() -> int:
            queue = self.queue_name
            held = await self._manager.list_jobs_async(queue=queue, status="doing")
            gone = await self._manager.get_stalled_jobs(
                queue=queue, seconds_since_heartbeat=STALLED_S
            )
            return len(list(held)) - len(list(gone))

        return await self.queue.patient(call)

    async def under_way(self) -> int:
        """Return how many blocks of this plan workers have now, told to end or not."""
        return len(await self._in("doing"))

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
