"""A worker: it listens to the queue of its checkout, and collects the outputs of what comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import (
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, replace

from ragate.answers.collected_outputs import finished, run_pass
from ragate.answers.ready_system import OpenedSystem, SystemRequest, open_here
from ragate.answers.relative_dates import asked_on
from ragate.clients.budget import Budget, Tally
from ragate.config import Config
from ragate.contrib.workers.block import (
    BLOCK_SIZE,
    Checkout,
    Greeting,
    SampleBlock,
    checkout,
    greeting_of,
    read_spent,
    share_paces,
    told,
    trouble_of,
)
from ragate.contrib.workers.engine import EngineWorker
from ragate.contrib.workers.queue import NO_PASS, SYSTEM, Queue, open_queue
from ragate.core.lookup import samples_by_id
from ragate.errors import BudgetError, DatabaseError, RagateError, UsageError
from ragate.gate.gate_setup import load_baseline_or_none
from ragate.models import Sample
from ragate.outputs.outputs_file import output_line
from ragate.protocols import system_abilities
from ragate.resources.operations import Operations
from ragate.resources.resources import Opened, open_resources
from ragate.task_groups import task_group

MOST_TRIES = 6  # of a block, by whatever workers
_HURRIED_S = 5.0  # for the queue, to hear why a worker ends
_LOOK_S = 0.25
_KEEP = """
INSERT INTO results (run, pass, name, block, line, spent) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING RETURNING name
"""
_KEPT = "SELECT pass, name, spent FROM results WHERE run = %s AND block = %s"


@dataclass(frozen=True)
class Worked:
    """What a worker did.

    Attributes:
        answered: Questions whose outputs it kept.
    """

    blocks: int
    answered: int


async def work(
    config: Config, operations: Operations, url: str, *, slots: int, idle_s: float | None
) -> Worked:
    """Serve blocks of runs of this checkout.

    Args:
        slots: The most questions at once.
        idle_s: End after so many seconds without a block; None goes on until interrupted.

    Raises:
        RagateError: this worker cannot serve a run, or the database is gone for good.
    """
    here = checkout(config, operations)
    async with open_queue(url, say=operations.say) as queue:
        server = BlockServer(config, operations, here, queue, slots=slots)
        # Blocks enough that a question always waits for a place that becomes free.
        jobs = -(-slots // BLOCK_SIZE) + 1
        engine = EngineWorker(queue, here.queue, server.serve, jobs=jobs)
        operations.say(f"listens to {here.queue}: {here.words}; up to {slots} questions at once")
        ends = asyncio.create_task(_stop(engine, server, idle_s))
        try:
            await engine.run()
        finally:
            ends.cancel()
            await server.close()
    if server.unfit is not None:
        raise server.unfit
    return Worked(engine.done, server.answered)


async def _stop(engine: EngineWorker, server: BlockServer, idle_s: float | None) -> None:
    """Let a worker end that cannot serve, or has long had nothing to do."""
    while server.unfit is None and (idle_s is None or engine.idle_s < idle_s):  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_S)
    engine.stop()


class _Account:
    """What one system spends, of the shares that blocks bring and of no more.

    Args:
        budget: Its caps are what the shares hold.
    """

    def __init__(self, budget: Budget) -> None:
        budget.max_calls, budget.max_cost_usd = 0, 0.0
        self._budget = budget
        self._told = Tally()
        self._open = 0

    @contextmanager
    def share(self, block: SampleBlock, spent: Tally) -> Iterator[_Share]:
        """Let calls be made from a block's share, of which so much is spent already."""
        budget = self._budget
        budget.expect(block.usual_usd)
        left = _Share(max(0, block.calls - spent.calls), max(0.0, block.usd - spent.cost_usd))
        budget.max_calls += left.calls
        budget.max_cost_usd += left.usd
        self._open += 1
        try:
            yield left
        finally:
            self._open -= 1
            budget.max_calls -= left.calls
            budget.max_cost_usd -= left.usd

    def tell(self, share: _Share) -> Tally:
        """Return what was spent and is not told yet, as far as a share covers it.

        What other blocks of this process spend of it meanwhile, they tell of theirs.
        """
        spent = self._budget.tally - self._told
        if self._open > 1:
            calls, usd = min(share.calls, spent.calls), min(share.usd, spent.cost_usd)
            spent = replace(spent, calls=calls, cost_usd=usd)
        self._note(share, spent)
        return spent

    def unheard(self, share: _Share, spent: Tally) -> None:
        """Note that nobody heard it: it is told again."""
        self._note(share, Tally() - spent)

    def _note(self, share: _Share, spent: Tally) -> None:
        self._told += spent
        share.calls -= spent.calls
        share.usd -= spent.cost_usd


@dataclass
class _Share:
    """What is left of a block's share of the run's caps."""

    calls: int
    usd: float


@dataclass(frozen=True)
class _Served:
    """The system of one run, open for as long as blocks of it may come.

    Attributes:
        places: For the questions of a system that takes no more at once.
    """

    opened: Opened
    asked: OpenedSystem
    account: _Account
    places: asyncio.Semaphore


class _Kept:
    """A system that is open in a task of its own, which closes what it opened."""

    def __init__(self) -> None:
        self.served: asyncio.Future[_Served] = asyncio.get_running_loop().create_future()
        self.close = asyncio.Event()
        self.blocks = 0
        self.task: asyncio.Task[None] | None = None

    def end(self) -> None:
        """Let it be closed, or opened no further."""
        self.close.set()
        if self.task is not None and not self.served.done():
            self.task.cancel()


class BlockServer:
    """Serves blocks of any run of this checkout.

    Args:
        slots: The most questions at once.

    Attributes:
        answered: Questions whose outputs were kept.
        unfit: Why this worker cannot serve; another one may.
    """

    def __init__(
        self,
        config: Config,
        operations: Operations,
        here: Checkout,
        queue: Queue,
        *,
        slots: int,
    ) -> None:
        self._config = config
        self._operations = operations
        self._here = here
        self._samples: Mapping[str, Sample] = samples_by_id(here.samples)
        self._queue = queue
        self._most = slots
        self._slots = asyncio.Semaphore(slots)
        self._kept: dict[tuple[str, int], _Kept] = {}
        self._unclosed: set[_Kept] = set()  # with those that gave way to another run's
        self.answered = 0
        self.unfit: RagateError | None = None

    async def serve(self, block: SampleBlock, tries: int) -> None:
        """Ask what a block lacks, and keep each output as it comes.

        Args:
            tries: How often workers began it before.

        Raises:
            Exception: it could not be done, and another worker may try.
        """
        if tries >= MOST_TRIES:
            lost = RagateError(f"{tries} workers began a block, and none ended it")
            await self._complain(block, tries, lost)
            return
        now, workers = await self._queue.clock()
        time_of_run = asyncio.timeout(block.until - now)
        try:
            async with time_of_run, self._served(block) as served:
                share_paces(served.opened.budget, self._config, workers)
                await self._ask(served, block, tries)
        except BudgetError as error:  # to open the system took all of the share
            spent = Tally(calls=block.calls, cost_usd=block.usd)
            await self._complain(block, tries, error, spent)
        except Exception as error:
            if time_of_run.expired():
                return
            if isinstance(error, RagateError):
                self.unfit = error
            with suppress(DatabaseError):
                await self._complain(block, tries, error)
            raise

    async def _complain(
        self, block: SampleBlock, tries: int, error: Exception, spent: Tally | None = None
    ) -> None:
        """Say why a block was not done, and what that cost."""
        trouble = trouble_of(error, final=tries + 1 >= MOST_TRIES)
        brief = replace(self._queue, patience_s=min(self._queue.patience_s, _HURRIED_S))
        # Of the last, what it failed of counts, and not that nobody is left to try.
        name = f"{block.name}/{min(tries, MOST_TRIES - 1)}"
        line = trouble.model_dump_json()
        cost = told(spent or Tally())
        await brief.rows(_KEEP, block.run, NO_PASS, name, block.name, line, cost)

    async def _ask(self, served: _Served, block: SampleBlock, tries: int) -> None:
        """Ask what a block lacks; that its share does not do is no failure."""
        rows = await self._queue.rows(_KEPT, block.run, block.name)
        had = {name for turn, name, _ in rows if turn == block.turn}
        spent = sum((read_spent(line) for *_, line in rows), Tally())
        with served.account.share(block, spent) as share:
            async with task_group() as group:
                asking = [
                    group.create_task(self._one(served, block, key, share))
                    for key in block.samples
                    if key not in had
                ]
            if short := [error for task in asking if (error := task.result())]:
                await self._complain(block, tries, short[0], served.account.tell(share))

    async def _one(
        self, served: _Served, block: SampleBlock, key: str, share: _Share
    ) -> BudgetError | None:
        """Ask one question and keep its output; return why it could not be paid for."""
        # A place is free only when its answer cannot be lost any more.
        async with served.places, self._slots:
            try:
                outputs = await run_pass(
                    asked_on(served.asked.system, block.eval_date),
                    [self._samples[key]],
                    run=block.turn,
                    concurrency=1,
                    timeout_s=served.opened.system.timeout_s,
                    finish=served.asked.executor or finished,
                )
            except BudgetError as error:
                return error
            line = output_line(self._samples[key], outputs[key], run=block.turn)
            spent = served.account.tell(share)
            row = (block.run, block.turn, key, block.name, line, told(spent))
            if await self._queue.rows(_KEEP, *row):
                self.answered += 1
            else:
                served.account.unheard(share, spent)
        return None

    @asynccontextmanager
    async def _served(self, block: SampleBlock) -> AsyncIterator[_Served]:
        """Hold the system of a block's run, opened where it is not; others are closed then."""
        key = (block.run, block.rebuilds)
        if key not in self._kept:
            for name, old in list(self._kept.items()):
                if not old.blocks:
                    self._kept.pop(name).end()
            kept = self._kept[key] = _Kept()
            kept.task = asyncio.create_task(self._hold(kept, block))
            self._unclosed.add(kept)
            kept.task.add_done_callback(lambda _: self._unclosed.discard(kept))
        kept = self._kept[key]
        kept.blocks += 1
        try:
            yield await asyncio.shield(kept.served)
        except BaseException:
            has_failed = kept.served.done() and kept.served.exception() is not None
            if has_failed and self._kept.get(key) is kept:
                del self._kept[key]
            raise
        finally:
            kept.blocks -= 1

    async def _hold(self, kept: _Kept, block: SampleBlock) -> None:
        # One task opens and closes: what a system opens may belong to its task.
        try:
            async with self._open(block) as served:
                kept.served.set_result(served)
                await kept.close.wait()
        except Exception as error:  # noqa: BLE001 - whoever waits for the system gets it
            if kept.served.done():
                self._operations.say(f"warning: a run's system was not closed well: {error}")
            else:
                kept.served.set_exception(error)

    @asynccontextmanager
    async def _open(self, block: SampleBlock) -> AsyncIterator[_Served]:
        config, operations = self._config, self._operations
        if checkout(config, operations).queue != self._here.queue:
            raise UsageError(
                "the checkout has changed since this worker was started",
                remedy="start it again; a worker needs a checkout that nobody edits",
            )
        request = SystemRequest(config, operations, block.selection, recording=block.recording)
        resources = open_resources(
            config,
            operations,
            baseline=None if block.recording else load_baseline_or_none(config),
            session=block.recording,
            top_k=block.top_k,
            retrieval_only=block.retrieval_only,
        )
        async with AsyncExitStack() as stack:
            opened = await stack.enter_async_context(resources)
            account = _Account(opened.budget)
            with account.share(block, Tally()) as share:
                asked = await stack.enter_async_context(open_here(request, opened))
                await asked.system.prepare(rebuild=block.rebuilds > 0)
                greeting, spent = await greeting_of(asked.system), account.tell(share)
                row = (NO_PASS, SYSTEM, block.name, greeting.model_dump_json(), told(spent))
                if not await self._queue.rows(_KEEP, block.run, *row):
                    account.unheard(share, spent)
            if first := await self._queue.system(block.run):
                greeting.refuse_other(Greeting.model_validate_json(first))
            most = system_abilities(asked.system).max_concurrency or self._most
            # A sample that waits inside of the system would run out of time.
            yield _Served(opened, asked, account, asyncio.Semaphore(most))

    async def close(self) -> None:
        """Close every system, whoever cancels that meanwhile."""
        for kept in list(self._unclosed):
            kept.end()
        while tasks := {kept.task for kept in self._unclosed if kept.task is not None}:
            with suppress(asyncio.CancelledError):
                await asyncio.wait(tasks)
        self._kept.clear()
