"""A plan in the queue: submitted once, however often; taken back where its run ends."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable

import pytest

from ragate.queue.engine import Queue, open_queue
from ragate.queue.leases import Leases
from ragate.queue.submission import BLOCK_SIZE, Submission, delete_plan

pytestmark = pytest.mark.integration
NINE = tuple(f"q{number}" for number in range(9))


def acted(url: str, act: Callable[[Queue, Submission], Awaitable[None]]) -> None:
    async def go() -> None:
        async with open_queue(url) as queue:
            name = secrets.token_hex(8)
            await act(queue, Submission(queue, name, f"queue of {name}", "{}"))

    asyncio.run(go())


def again(queue: Queue, submission: Submission) -> Submission:
    """Return the same run, as a process that goes on with it has it."""
    return Submission(queue, submission.plan, submission.queue_name, "{}")


def test_one_job_a_block_and_blocks_of_a_few_samples(url: str) -> None:
    async def act(_queue: Queue, submission: Submission) -> None:
        assert not await submission.begin()
        await submission.add(0, NINE, rebuilds=0)
        await submission.add(1, NINE, rebuilds=0)

        assert await submission.jobs.blocks("todo") == set(range(2 * (-(-9 // BLOCK_SIZE))))

    acted(url, act)


def test_the_same_run_submitted_again_has_each_question_once(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        await submission.begin()
        await submission.add(0, NINE, rebuilds=0)
        resumed = again(queue, submission)

        assert await resumed.begin()
        assert await resumed.jobs.blocks("todo") == set()
        await resumed.add(0, NINE, rebuilds=0)

        blocks = sorted(await resumed.jobs.blocks("todo"))
        leases = [await Leases(queue).begin(resumed.plan, block) for block in blocks]
        assert [key for lease in leases if lease for key in lease.samples] == list(NINE)

    acted(url, act)


def test_two_runs_of_one_commit_do_not_see_each_other(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        other = Submission(queue, secrets.token_hex(8), submission.queue_name, "{}")
        for each in (submission, other):
            await each.begin()
            await each.add(0, ("q1",), rebuilds=0)
        leases = Leases(queue)
        lease = await leases.begin(submission.plan, 0)
        assert lease is not None
        await leases.append(lease, ["q1"], ["mine"])

        assert await other.arrivals(0, -1) == []
        await other.cancel()
        assert await submission.jobs.blocks("todo") == {0}
        assert await other.jobs.blocks("todo") == set()

    acted(url, act)


def test_a_job_that_somebody_cancelled_is_told_and_not_waited_for(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        await submission.begin()
        await submission.add(0, NINE, rebuilds=0)
        found = await queue.app.job_manager.list_jobs_async(queue=submission.queue_name)
        first = min(job.id or 0 for job in found)
        await queue.app.job_manager.cancel_job_by_id_async(first)

        (trouble,) = await submission.troubles(lost=True)

        assert trouble.final
        assert "cancelled" in trouble.error

    acted(url, act)


def test_outputs_are_read_on_from_the_last_one(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        await submission.begin()
        await submission.add(0, ("q1", "q2", "q3"), rebuilds=0)
        leases = Leases(queue)
        lease = await leases.begin(submission.plan, 0)
        assert lease is not None
        await leases.append(lease, ["q3", "q1"], ["3", "1"])
        first = await submission.arrivals(0, -1)
        await leases.append(lease, ["q2"], ["2"])

        rest = await submission.arrivals(0, first[-1].number)

        assert [each.line for each in [*first, *rest]] == ["3", "1", "2"]

    acted(url, act)


def test_what_went_wrong_before_does_not_end_a_run_that_goes_on(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        await submission.begin()
        await submission.add(0, ("q1", "q2"), rebuilds=0)
        lease = await Leases(queue).begin(submission.plan, 0)
        assert lease is not None
        await Leases(queue).give_back(lease, "no key", final=True)
        assert [each.error for each in await submission.troubles()] == ["no key"]
        await submission.cancel()
        resumed = again(queue, submission)

        await resumed.begin()
        await resumed.add(0, ("q1", "q2"), rebuilds=0)

        assert await resumed.troubles(lost=True) == []

    acted(url, act)


def test_a_block_whose_job_is_gone_gets_another(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        await submission.begin()
        await submission.add(0, NINE, rebuilds=0)
        async with queue.pool.connection() as connection:
            await connection.execute(
                "DELETE FROM ragate_queue.procrastinate_jobs WHERE queue_name = %s "
                "AND args->>'block' = '1'",
                (submission.queue_name,),
            )
        assert 1 not in await submission.jobs.blocks("todo")

        assert await submission.troubles(lost=True) == []

        assert await submission.jobs.blocks("todo") == {0, 1, 2}

    acted(url, act)


def test_a_plan_that_goes_on_is_not_old(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        await submission.begin()
        old = "UPDATE ragate_work.plans SET created = now() - interval '6 days' WHERE plan = %s"
        await queue.rows(old, submission.plan)

        assert await again(queue, submission).begin()

        query = "SELECT now() - created < interval '1 day' FROM ragate_work.plans WHERE plan = %s"
        assert await queue.rows(query, submission.plan) == [(True,)]

    acted(url, act)


def test_jobs_of_a_plan_that_is_gone_go_whatever_their_queue(url: str) -> None:
    async def act(queue: Queue, submission: Submission) -> None:
        await submission.begin()
        await submission.add(0, NINE, rebuilds=0)
        other = Submission(queue, secrets.token_hex(8), "of another commit", "{}")
        await other.begin()
        await other.add(0, NINE, rebuilds=0)
        await delete_plan(queue, submission.plan)

        await Submission(queue, secrets.token_hex(8), "of a third commit", "{}").begin()

        assert await submission.jobs.blocks("todo") == set()
        assert await other.jobs.blocks("todo") == {0, 1, 2}

    acted(url, act)
