"""The system of one plan, open in a worker for as long as blocks of the plan may come."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from ragate.clients.budget import BudgetShare
from ragate.config import Config
from ragate.core.lookup import samples_by_id
from ragate.models import Sample
from ragate.outputs.outputs_file import output_line
from ragate.pipeline.decide.gate_setup import load_baseline_or_none, load_samples
from ragate.pipeline.run.collected_outputs import ask, finished
from ragate.pipeline.run.ready_system import OpenedSystem, SystemRequest, open_here
from ragate.pipeline.run.relative_dates import asked_on
from ragate.pipeline.workers.plan_head import Greeting, PlanHead, greeting_of
from ragate.protocols import System, system_abilities
from ragate.runtime.operations import Operations
from ragate.runtime.resources import Opened, open_resources
from ragate.runtime.wrapped_system import restartable


@dataclass
class ServedPlan:
    """A plan whose questions this process asks.

    Attributes:
        samples: What the plan asks, by id.
        greeting: What the system says of itself.
        slots: For the questions of all plans of this worker.
        limit: For those of a system that takes no more at once.
        greeted, greeting_turn: The greeting was sent; whose turn it is to send it.
    """

    head: PlanHead
    samples: Mapping[str, Sample]
    opened: Opened
    asked: OpenedSystem
    greeting: Greeting
    slots: asyncio.Semaphore
    limit: asyncio.Semaphore | None
    rebuilds: int = 0
    users: int = 0
    greeted: bool = False
    greeting_turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _turn: asyncio.Condition = field(default_factory=asyncio.Condition)

    @asynccontextmanager
    async def used(self, rebuilds: int) -> AsyncIterator[None]:
        """Hold the system while a block asks it; opened and made anew first where the plan says so.

        Args:
            rebuilds: How often that is to have been done: for a pass with a session of its own.
        """
        async with self._turn:
            if rebuilds > self.rebuilds:
                await self._turn.wait_for(lambda: self.users == 0)
            if rebuilds > self.rebuilds:
                if (system := restartable(self.asked.system)) is not None:
                    await system.restart()
                await self.asked.system.prepare(rebuild=True)
                self.rebuilds = rebuilds
            self.users += 1
        try:
            yield
        finally:
            async with self._turn:
                self.users -= 1
                self._turn.notify_all()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one of the places for a question, of this worker and of the system."""
        async with self.limit or nullcontext(), self.slots:
            yield

    async def tell(self) -> None:
        """Say what this process has spent on models: the report counts it."""
        if (share := self.opened.budget.share) is not None:
            await share.tell(self.opened.budget.snapshot())

    async def line(self, key: str, run: int) -> str:
        """Return the output for one sample as a line of an outputs file."""
        sample = self.samples[key]
        system = asked_on(self.asked.system, self.head.selection.eval_date)
        timeout_s = self.opened.system.timeout_s
        output = await ask(system, sample, run=run, timeout_s=timeout_s)
        output = await (self.asked.executor or finished)(sample, output)
        return output_line(sample, output, run=run)


@asynccontextmanager
async def open_served(
    config: Config,
    operations: Operations,
    head: PlanHead,
    slots: asyncio.Semaphore,
    share: BudgetShare,
) -> AsyncIterator[ServedPlan]:
    """Yield a plan with its system opened and brought up to date.

    Args:
        slots: For questions.
        share: Of the plan's budget.

    Raises:
        RagateError: the plan is not the one of what is checked out, or the system cannot be opened.
    """
    head.refuse_other(config, operations)
    selection = head.selection
    samples = samples_by_id(load_samples(config, selection.filters))
    request = SystemRequest(config, operations, selection, recording=head.recording)
    resources = open_resources(
        config,
        operations,
        baseline=None if head.recording else load_baseline_or_none(config),
        session=head.recording,
        top_k=selection.top_k,
        retrieval_only=selection.retrieval_only,
    )
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(resources)
        opened.budget.share = share
        asked = await stack.enter_async_context(open_here(request, opened))
        await asked.system.prepare()
        greeting = await greeting_of(asked.system)
        yield ServedPlan(head, samples, opened, asked, greeting, slots, _limit(asked.system))


def _limit(system: System) -> asyncio.Semaphore | None:
    """Return the places that the system has itself; a sample that waits inside would time out."""
    most = system_abilities(system).max_concurrency
    return None if most is None else asyncio.Semaphore(most)
