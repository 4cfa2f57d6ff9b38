"""A worker: it listens to the queue of its checkout, and serves what comes."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ragate.config import Config
from ragate.errors import BudgetError, RagateError
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.workers.plan_budget import budget_share
from ragate.pipeline.workers.plan_head import (
    error_text,
    frozen,
    queue_name,
    read_greeting,
    read_head,
)
from ragate.pipeline.workers.served_plan import ServedPlan, open_served
from ragate.queue.engine import WORKER_PATH, open_queue
from ragate.queue.engine_worker import EngineWorker
from ragate.queue.leases import BlockNotDoneError, Lease, LeaseOverError, Leases, PlanGoneError
from ragate.queue.serving_role import own_role
from ragate.queue.submission import BLOCK_SIZE
from ragate.runtime.operations import Operations

HURRIED_S = 5.0
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
        server = BlockServer(config, operations, Leases(queue), slots=slots)
        failures = _Failures(operations.say)

        def failed(plan: str, error: BaseException) -> None:
            if failures.end_with(plan, error):
                engine.stop()

        # Blocks enough that a question always waits for a place that becomes free.
        jobs = -(-slots // BLOCK_SIZE) + 1
        engine = EngineWorker(queue, names, server.serve, jobs=jobs, failed=failed)
        checkout = f"commit {plan.commit[:12] or 'none'}, ragate {plan.ragate_version}"
        queues = f"queues {' and '.join(names)}; {checkout}"
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


async def _stop_when_idle(engine: EngineWorker, idle_s: float | None) -> None:
    while idle_s is not None:
        if engine.idle_s >= idle_s:
            engine.stop()
            return
        await asyncio.sleep(_LOOK_S)


# What a worker does with a block: it opens the plan's system once, and asks what is missing.


class UnfitWorkerError(Exception):
    """This worker cannot serve a plan, and another one may; its cause says why."""


class _Kept:
    """A plan that is open in a task of its own, which closes what it opened."""

    def __init__(self) -> None:
        self.plan: asyncio.Future[ServedPlan] = asyncio.get_running_loop().create_future()
        self.close = asyncio.Event()
        self.blocks = 0
        self.task: asyncio.Task[None] | None = None


class BlockServer:
    """Serves blocks of any plan of this checkout.

    Args:
        slots: The most questions at once.
    """

    def __init__(
        self, config: Config, operations: Operations, leases: Leases, *, slots: int
    ) -> None:
        self._config = config
        self._operations = operations
        self._leases = leases
        self._slots = asyncio.Semaphore(slots)
        self._kept: dict[str, _Kept] = {}
        self.answered = 0

    async def serve(self, plan: str, block: int) -> None:
        """Ask what a block lacks and append it.

        Raises:
            PlanGoneError: the plan was deleted.
            UnfitWorkerError: this worker cannot serve the plan.
            RagateError: the block cannot be done.
        """
        try:
            while (lease := await self._leases.begin(plan, block)) is not None:
                with suppress(BlockNotDoneError):  # begun again, it says what is wanted anew
                    await self._serve(plan, lease)
                    return
        except LeaseOverError:
            return  # somebody else has it, or nobody wants it any more

    async def _serve(self, plan: str, lease: Lease) -> None:
        kept = self._kept.get(plan) or self._open(plan, lease)
        kept.blocks += 1
        try:
            served = await self._opened(plan, kept)
            async with served.greeting_turn:
                if not (served.greeted and lease.samples):
                    await self._greet(served, lease)
            await self._ask(served, lease)
            await self._leases.end(lease)
        except LeaseOverError:
            await self._leases.give_up(lease)
            raise
        except (PlanGoneError, BlockNotDoneError):
            raise
        except Exception as error:
            final = isinstance(error, BudgetError)  # a cap that is reached ends the run
            try:
                await self._leases.give_back(lease, error_text(error), final=final)
            except LeaseOverError:  # or it was given back, and the answer was lost: nobody has it
                raise error from None
            if isinstance(error, RagateError):
                raise UnfitWorkerError from error
            raise
        finally:
            kept.blocks -= 1

    async def _greet(self, served: ServedPlan, lease: Lease) -> None:
        """Say what the system is; it may name a hundred thousand documents, so not at every block.

        Raises:
            SystemMismatchError: the first worker of the plan has another one.
        """
        first = await self._leases.greet(lease, served.greeting.model_dump_json())
        served.greeting.refuse_other(read_greeting(first))
        served.greeted = True

    async def _ask(self, served: ServedPlan, lease: Lease) -> None:
        async with served.used(lease.rebuilds), RowSender(self._leases, lease) as sender:

            async def one(key: str) -> None:
                async with served.place():
                    line = await served.line(key, lease.run)
                    await served.tell()
                    await sender.send(key, line)
                self.answered += 1

            try:
                async with asyncio.TaskGroup() as group:
                    for key in lease.samples:
                        group.create_task(one(key))
            except* Exception as errors:
                raise errors.exceptions[0] from errors

    def _open(self, plan: str, lease: Lease) -> _Kept:
        """Open a plan; plans that nobody asks for any more are closed."""
        for name, old in list(self._kept.items()):
            if not old.blocks:
                self._kept.pop(name).close.set()
        kept = self._kept[plan] = _Kept()
        kept.task = asyncio.create_task(self._keep(kept, lease))
        return kept

    async def _keep(self, kept: _Kept, lease: Lease) -> None:
        # One task opens and closes: what a system opens may belong to its task.
        try:
            head = read_head(lease.head)
            async with (
                budget_share(self._leases.queue, lease.token, self._config.policy) as share,
                open_served(self._config, self._operations, head, self._slots, share) as served,
            ):
                kept.plan.set_result(served)
                await kept.close.wait()
        except Exception as error:  # noqa: BLE001 - whoever waits for the plan gets it
            if kept.plan.done():
                self._operations.say(f"warning: a plan's system was not closed well: {error}")
            else:
                kept.plan.set_exception(error)

    async def _opened(self, plan: str, kept: _Kept) -> ServedPlan:
        try:
            return await asyncio.shield(kept.plan)
        except Exception:
            self._kept.pop(plan, None)
            raise

    async def close(self) -> None:
        """Close every system."""
        tasks = [kept.task for kept in self._kept.values() if kept.task is not None]
        for kept in self._kept.values():
            kept.close.set()
            if not kept.plan.done() and kept.task is not None:
                kept.task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        self._kept.clear()


# Outputs on their way to the queue: together where many are there, none later than it must be.


class RowSender:
    """Appends the outputs of one block; whoever sends one waits until it is kept.

    So a question's place is free only when its answer cannot be lost any more: a worker that is
    killed loses what was in flight, and nothing that was answered.
    """

    def __init__(self, leases: Leases, lease: Lease) -> None:
        self._leases = leases
        self._lease = lease
        self._waiting: list[tuple[str, str, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._task is None:
            return
        # Who is told to end does not wait for a queue that is gone.
        hurried = kind is not None and issubclass(kind, asyncio.CancelledError)
        await asyncio.wait([self._task], timeout=HURRIED_S if hurried else None)
        self._task.cancel()

    async def send(self, sample: str, line: str) -> None:
        """Append one output; raises as `Leases.append`."""
        kept = asyncio.get_running_loop().create_future()
        self._waiting.append((sample, line, kept))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._flush())
        await kept

    async def _flush(self) -> None:
        while self._waiting:
            rows, self._waiting = self._waiting, []
            try:
                await self._leases.append(
                    self._lease, [row[0] for row in rows], [row[1] for row in rows]
                )
            except Exception as error:  # noqa: BLE001 - whoever sent them gets it
                for _, _, kept in rows:
                    if not kept.done():
                        kept.set_exception(error)
            else:
                for _, _, kept in rows:
                    if not kept.done():
                        kept.set_result(None)
