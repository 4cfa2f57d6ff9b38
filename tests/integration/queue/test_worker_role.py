"""A worker with the rights of a worker alone, and the engine over it: what it needs is there."""

from __future__ import annotations

import asyncio

import pytest

from ragate.queue.engine import WORKER_PATH, Queue, open_queue
from ragate.queue.engine_worker import EngineWorker
from ragate.queue.leases import Leases
from ragate.queue.submission import Submission, delete_plan
from tests.servers.queue_roles import PULL, SUBMITTER, logged_in

pytestmark = pytest.mark.integration


async def served(submitter: Queue, worker: Queue) -> list[tuple[str, str]]:
    """Submit a plan, have its blocks served, fail one of them once, and return the outputs."""
    submission = Submission(submitter, "a plan", "a queue", "head", role=PULL)
    await submission.begin()
    await submission.add(0, [f"s{number}" for number in range(10)], rebuilds=0)
    leases = Leases(worker)
    failed: list[BaseException] = []

    async def serve(plan: str, block: int) -> None:
        lease = await leases.begin(plan, block)
        assert lease is not None
        if block == 1 and not failed:
            await leases.give_back(lease, "once", final=False)
            raise RuntimeError("once")
        await leases.append(lease, lease.samples, ["a line"] * len(lease.samples))
        await leases.end(lease)

    engine = EngineWorker(
        worker, ["a queue"], serve, jobs=2, failed=lambda _, why: failed.append(why)
    )
    running = asyncio.create_task(engine.run())
    async with asyncio.timeout(120):
        while len(found := await submission.arrivals(0, -1)) < 10:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    engine.stop()
    await running
    assert [str(error) for error in failed] == ["once"]
    assert await submission.jobs.blocks("todo", "doing", "failed", "succeeded") == set()
    await delete_plan(submitter, submission.plan)
    return [(each.sample, each.line) for each in found]


def test_blocks_are_served_given_back_and_ended(queue: str) -> None:
    async def main() -> list[tuple[str, str]]:
        async with (
            open_queue(logged_in(queue, SUBMITTER)) as submitter,
            open_queue(logged_in(queue, PULL), path=WORKER_PATH) as worker,
        ):
            return await served(submitter, worker)

    outputs = asyncio.run(main())

    assert sorted(outputs) == sorted((f"s{number}", "a line") for number in range(10))


def test_a_job_names_a_plan_and_a_block_and_nothing_else(queue: str) -> None:
    async def main() -> list[object]:
        async with open_queue(logged_in(queue, SUBMITTER)) as submitter:
            submission = Submission(submitter, "plan-args", "queue-args", "head", role=PULL)
            await submission.begin()
            await submission.add(0, ["a"], rebuilds=0)
            query = "SELECT args FROM ragate_queue.procrastinate_jobs WHERE queue_name = %s"
            return [args for (args,) in await submitter.rows(query, "queue-args")]

    assert asyncio.run(main()) == [{"plan": "plan-args", "block": 0}]


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_living_worker_takes_over_what_a_lost_one_had_though_nobody_submits_any_more(
    queue: str, forgotten: bool
) -> None:
    name = f"lost-{forgotten}"
    lost = (
        "UPDATE ragate_queue.procrastinate_workers SET last_heartbeat = now() - interval '1 h' "
        "WHERE id = %s"
    )
    take = "SELECT id FROM ragate_worker.procrastinate_fetch_job_v2(%s::varchar[], %s::bigint)"

    async def main() -> set[str]:
        async with open_queue(logged_in(queue, SUBMITTER)) as gone:
            submission = Submission(gone, name, name, "head", role=PULL)
            await submission.begin()
            await submission.add(0, ["a", "b"], rebuilds=0)
        async with (
            open_queue(logged_in(queue, PULL), path=WORKER_PATH) as worker,
            open_queue(queue) as admin,
        ):
            register = "SELECT worker_id FROM ragate_worker.procrastinate_register_worker_v1()"
            ((number,),) = await worker.rows(register)
            await worker.rows(take, [name], number)
            await admin.rows(lost, number)
            if forgotten:
                await admin.rows(
                    "DELETE FROM ragate_queue.procrastinate_workers WHERE id = %s", number
                )
            leases = Leases(worker)

            async def serve(plan: str, block: int) -> None:
                lease = await leases.begin(plan, block)
                assert lease is not None
                await leases.append(lease, lease.samples, ["x"] * len(lease.samples))
                await leases.end(lease)
                engine.stop()

            engine = EngineWorker(worker, [name], serve, jobs=2, failed=print)
            async with asyncio.timeout(120):
                await engine.run()
            resumed = Submission(admin, name, name, "head", role=PULL)
            assert await resumed.begin()
            return {each.sample for each in await resumed.arrivals(0, -1)}

    assert asyncio.run(main()) == {"a", "b"}
