"""What a worker does with a block: it opens the plan's system once, and asks what is missing."""

import asyncio
from contextlib import suppress

from ragate.config import Config
from ragate.errors import BudgetError, RagateError
from ragate.pipeline.workers.block_error import error_text
from ragate.pipeline.workers.greeting import read_greeting
from ragate.pipeline.workers.plan_budget import budget_share
from ragate.pipeline.workers.plan_head import read_head
from ragate.pipeline.workers.row_sender import RowSender
from ragate.pipeline.workers.served_plan import ServedPlan, open_served
from ragate.queue.leases import BlockNotDoneError, Lease, LeaseOverError, Leases, PlanGoneError
from ragate.runtime.operations import Operations


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
        url: Of the queue, where the plans' budgets are.
        slots: The most questions at once.
    """

    def __init__(
        self, config: Config, operations: Operations, leases: Leases, *, url: str, slots: int
    ) -> None:
        self._config = config
        self._operations = operations
        self._leases = leases
        self._url = url
        self._slots = asyncio.Semaphore(slots)
        self._kept: dict[str, _Kept] = {}
        self.answered = 0

    async def serve(self, plan: str, block: int, *, final: bool) -> None:
        """Ask what a block lacks and append it.

        Args:
            final: No other worker will try the block after this one.

        Raises:
            PlanGoneError: the plan was deleted.
            UnfitWorkerError: this worker cannot serve the plan.
            RagateError: the block cannot be done.
        """
        try:
            while (lease := await self._leases.begin(plan, block)) is not None:
                with suppress(BlockNotDoneError):  # begun again, it says what is wanted anew
                    await self._serve(plan, lease, final=final)
                    return
        except LeaseOverError:
            return  # somebody else has it, or nobody wants it any more

    async def _serve(self, plan: str, lease: Lease, *, final: bool) -> None:
        kept = self._kept.get(plan) or self._open(plan, lease)
        kept.blocks += 1
        try:
            served = await self._opened(plan, kept)
            async with served.greeting_turn:
                if not (served.greeted and lease.samples):
                    await self._greet(served, lease)
            await self._ask(served, lease)
            await self._leases.end(lease)
        except (LeaseOverError, PlanGoneError, BlockNotDoneError):
            raise
        except Exception as error:
            final = final or isinstance(error, BudgetError)  # a cap that is reached ends the run
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
        anew = bool(self._config.policy.repeats)  # what holds within a session would repeat as well
        async with served.used(lease.rebuilds, anew=anew), RowSender(self._leases, lease) as sender:

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
                budget_share(self._url, lease.token, self._config.policy) as share,
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
