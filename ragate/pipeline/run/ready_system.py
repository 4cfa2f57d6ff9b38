"""A system under test that is up to date, with the manifest and the outputs file of its run."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from ragate.config import Config
from ragate.executors.executor import Executor
from ragate.models import Run, RunManifest, Sample
from ragate.pipeline.run.arranged_samples import refuse_unarranged
from ragate.pipeline.run.collect_pass import OnOutput, Room, finished, no_wait, run_pass, unheard
from ragate.pipeline.run.new_manifest import labelled, new_manifest
from ragate.pipeline.run.opened_system import OpensSystem, PassSystem, SystemRequest, open_here
from ragate.pipeline.run.relative_dates import asked_on
from ragate.pipeline.run.selection import Selection
from ragate.protocols import LimitedSystem, System
from ragate.recorder.baseline_replies import save_run_replies
from ragate.recorder.open_system import open_system
from ragate.runtime.operations import Operations
from ragate.runtime.output_spool import Outputs
from ragate.runtime.resources import Opened, open_resources
from ragate.runtime.slow_start import told_if_slow
from ragate.runtime.time_limit import within
from ragate.stores.begun_run import BegunRun
from ragate.stores.local import LocalStore, new_run_id
from ragate.stores.postgres.open_store import sent_as_it_comes
from ragate.stores.run_outputs import open_outputs
from ragate.stores.writer import OutputsWriter

LookFirst = Callable[[Opened], Awaitable[None]]


async def no_look(_opened: Opened) -> None:
    return


@dataclass(frozen=True)
class ReadySystem:
    """A system that can be asked, and what a run of it needs.

    Attributes:
        writer: Keeps the run's outputs as they arrive.
        manifest: The run's, as it begins.
        limit: Ends the run when its time is over.
        executor: Carries the calls of outputs out, where the policy names what does.
        eval_date: What ``{today}`` stands for, "" for today.
    """

    system: System
    opened: Opened
    operations: Operations
    writer: OutputsWriter
    manifest: RunManifest
    limit: asyncio.Timeout
    executor: Executor | None
    eval_date: str = ""

    async def answers(
        self,
        samples: Sequence[Sample],
        run: int,
        *,
        on_output: OnOutput = unheard,
        room: Room = no_wait,
    ) -> Outputs:
        """Return the outputs of one pass; `on_output` and `room` are as in `run_pass`."""
        if isinstance(self.system, PassSystem):
            return await self.system.answer_pass(samples, run, on_output=on_output, room=room)
        system = self.opened.system
        # A sample that waits for its turn in the system would run out of time.
        limit = self.system.max_concurrency if isinstance(self.system, LimitedSystem) else None
        return await run_pass(
            asked_on(self.system, self.eval_date),
            samples,
            run=run,
            concurrency=min(system.concurrency, limit or system.concurrency),
            timeout_s=system.timeout_s,
            on_output=on_output,
            room=room,
            finish=self.executor or finished,
        )

    def end_limit(self) -> None:
        """Let what is still to come run past ``max_minutes``: the verdict stands."""
        self.limit.reschedule(None)


@asynccontextmanager
async def open_ready_system(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    selection: Selection,
    *,
    baseline: Run | None = None,
    recording: str = "",
    judged: bool = True,
    look_first: LookFirst = no_look,
    interrupted: BegunRun | None = None,
    opens: OpensSystem = open_here,
) -> AsyncIterator[ReadySystem]:
    """Yield the system under test, up to date, with its outputs file open.

    Args:
        baseline: Its answers are taken where a model request is the same.
        recording: Names the recording of a baseline, which takes no answers but its own.
        judged: The judge is asked in this process as well.
        look_first: Looks at what the run needs before the system is started or brought up to date.
        interrupted: The run that goes on; its file keeps what it holds.
        opens: Gives what is asked.

    Raises:
        BudgetError: ``max_minutes`` of the policy has passed; finished outputs are kept.
    """
    async with AsyncExitStack() as stack:
        resources = open_resources(
            config,
            operations,
            baseline=baseline,
            session=recording,
            top_k=selection.top_k,
            retrieval_only=selection.retrieval_only,
        )
        opened = await stack.enter_async_context(resources)
        await look_first(opened)
        run_id = new_run_id() if interrupted is None else interrupted.run_id
        request = SystemRequest(
            config, operations, selection, run_id, recording, judged, interrupted is not None
        )
        with told_if_slow(operations.say, f"setting up the system {config.system.use}"):
            asked = await stack.enter_async_context(opens(request, opened))
            system, executor = asked.system, asked.executor
            if not isinstance(system, PassSystem):  # which knows it when it is prepared
                refuse_unarranged(config.system.use, system, samples)
            await system.prepare()
        refuse_unarranged(config.system.use, system, samples)
        manifest = await new_manifest(config, operations, system, samples, selection, run_id)
        store = LocalStore(operations.state)
        kept = open_outputs(store, manifest, samples=len(samples), interrupted=interrupted)
        with kept as (writer, begun):
            folder = writer.path.parent
            stack.enter_context(sent_as_it_comes(operations.runs_url, folder, operations.say))
            manifest = labelled(begun, operations, config.root)
            remedy = f"the finished outputs are in {writer.path}"
            async with within(config.policy.max_minutes, remedy=remedy) as limit:
                ready = ReadySystem(system, opened, operations, writer, manifest, limit, executor)
                yield replace(ready, eval_date=selection.eval_date)
            if interrupted is None:  # else it was given a part of the replies alone
                save_run_replies(system, writer.path.parent)


async def ingest(config: Config, operations: Operations, *, rebuild: bool) -> int | None:
    """Bring the system's index up to date; return its number of documents, None without one."""
    async with (
        open_resources(config, operations) as opened,
        open_system(config, operations, opened) as system,
    ):
        await system.prepare(rebuild=rebuild)
        documents: frozenset[str] | None = await system.documents()
    return None if documents is None else len(documents)
