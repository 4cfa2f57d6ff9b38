"""What whoever submits a plan does with the queue: blocks go in, outputs come out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ragate.queue.arrivals import Arrival, read_arrivals
from ragate.queue.engine import Queue
from ragate.queue.plan_jobs import PlanJobs
from ragate.queue.troubles import Trouble, mend_lost, plan_deleted, read_troubles

BLOCK_SIZE = 4  # samples: the end of a run is even, and a job's cost small beside a question's
_AT_ONCE = 200
_KEPT_DAYS = 7


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
            raise plan_deleted() from error

    async def arrivals(self, run: int, after: int, *, most: int = 500) -> list[Arrival]:
        """Return outputs of one pass, in the order in which they were committed.

        Args:
            after: The last number that is known, -1 for none.
        """
        return await read_arrivals(self._queue, self.plan, run, after=after, most=most)

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
        told = await read_troubles(self._queue, self.plan)
        return [*await mend_lost(self._queue, self.jobs), *told] if lost else told

    async def cancel(self) -> None:
        """Take everything back that is not done; what came of it stays, for `--resume`."""
        await self._queue.rows(
            "UPDATE ragate_work.plans SET ended = now() WHERE plan = %s", self.plan
        )
        await self.jobs.cancel("todo")
        await self.jobs.cancel("doing")

    async def finish(self) -> None:
        """Delete the plan: all of it has been read."""
        await delete_plan(self._queue, self.plan)


async def delete_plan(queue: Queue, plan: str) -> None:
    """Delete a plan, with its blocks and outputs."""
    await queue.rows("DELETE FROM ragate_work.plans WHERE plan = %s", plan)
