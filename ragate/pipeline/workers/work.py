"""A worker: it listens to the queue of its checkout, and serves what comes."""

import asyncio
from dataclasses import dataclass

from ragate.config import Config
from ragate.errors import RagateError
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.workers.block_server import BlockServer, UnfitWorkerError
from ragate.pipeline.workers.plan_head import frozen, queue_name
from ragate.queue.engine import WORKER_PATH, open_queue
from ragate.queue.engine_worker import EngineWorker
from ragate.queue.leases import Leases, PlanGoneError
from ragate.queue.serving_role import own_role
from ragate.queue.submission import BLOCK_SIZE
from ragate.runtime.operations import Operations

_LOOK_S = 0.25


@dataclass(frozen=True)
class Worked:
    """What a worker did.

    Attributes:
        answered: Questions whose outputs it appended.
    """

    blocks: int
    answered: int


async def work(
    config: Config, operations: Operations, url: str, *, slots: int, idle_s: float | None
) -> Worked:
    """Serve blocks of plans of this checkout.

    Args:
        slots: The most questions at once.
        idle_s: End after so many seconds without a block; None goes on until interrupted.

    Raises:
        RagateError: this worker cannot serve a plan, or the database is gone for good.
    """
    plan = frozen(config, operations, Selection())
    async with open_queue(url, say=operations.say, path=WORKER_PATH) as queue:
        names = [queue_name(plan), queue_name(plan, await own_role(queue))]
        server = BlockServer(config, operations, Leases(queue), url=queue.url, slots=slots)
        failures: list[BaseException] = []
        gone: set[str] = set()

        def failed(plan: str, error: BaseException) -> None:
            if isinstance(error, UnfitWorkerError):
                failures.append(error.__cause__ or error)
                engine.stop()
            elif not isinstance(error, PlanGoneError):
                operations.say(f"a block was not done: {error}; it is tried again")
            elif plan not in gone:
                gone.add(plan)
                operations.say(f"{error.message}: its blocks are passed over")

        # Blocks enough that a question always waits for a place that becomes free.
        jobs = -(-slots // BLOCK_SIZE) + 1
        engine = EngineWorker(queue, names, server.serve, jobs=jobs, failed=failed)
        of = f"commit {plan.commit[:12]}, " if plan.commit else ""
        of += f"ragate {plan.ragate_version}"
        operations.say(
            f"listens to queues {' and '.join(names)}; {of}; up to {slots} questions at once"
        )
        idle = asyncio.create_task(_stop_when_idle(engine, idle_s))
        try:
            await engine.run()
        finally:
            idle.cancel()
            await server.close()
    for error in failures:
        raise error if isinstance(error, RagateError) else RagateError(str(error))
    return Worked(engine.done, server.answered)


async def _stop_when_idle(engine: EngineWorker, idle_s: float | None) -> None:
    while idle_s is not None:
        if engine.idle_s >= idle_s:
            engine.stop()
            return
        await asyncio.sleep(_LOOK_S)
