"""A worker: it listens to the queue of its checkout, and serves what comes."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from ragate.config import Config
from ragate.errors import RagateError
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.shards.shard_plan import ShardPlan
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
        failures = _Failures(operations.say)

        def failed(plan: str, error: BaseException) -> None:
            if failures.end_with(plan, error):
                engine.stop()

        # Blocks enough that a question always waits for a place that becomes free.
        jobs = -(-slots // BLOCK_SIZE) + 1
        engine = EngineWorker(queue, names, server.serve, jobs=jobs, failed=failed)
        queues = f"queues {' and '.join(names)}; {_checkout(plan)}"
        operations.say(f"listens to {queues}; up to {slots} questions at once")
        idle = asyncio.create_task(_stop_when_idle(engine, idle_s))
        try:
            await engine.run()
        finally:
            idle.cancel()
            await server.close()
    if (error := failures.last) is not None:
        raise error if isinstance(error, RagateError) else RagateError(str(error))
    return Worked(engine.done, server.answered)


class _Failures:
    """Why blocks were not done; a plan that is gone is told once, however many its blocks are.

    Attributes:
        last: What ends this worker.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._gone: set[str] = set()
        self.last: BaseException | None = None

    def end_with(self, plan: str, error: BaseException) -> bool:
        """Tell an error, or return True where this worker cannot serve."""
        if isinstance(error, UnfitWorkerError):
            self.last = error.__cause__ or error
        elif not isinstance(error, PlanGoneError):
            self._say(f"a block was not done: {error}; it is tried again")
        elif plan not in self._gone:
            self._gone.add(plan)
            self._say(f"{error.message}: its blocks are passed over")
        return self.last is not None


def _checkout(plan: ShardPlan) -> str:
    return f"commit {plan.commit[:12] or 'none'}, ragate {plan.ragate_version}"


async def _stop_when_idle(engine: EngineWorker, idle_s: float | None) -> None:
    while idle_s is not None:
        if engine.idle_s >= idle_s:
            engine.stop()
            return
        await asyncio.sleep(_LOOK_S)
