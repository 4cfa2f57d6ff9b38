"""A system under test that is up to date, with the manifest and the outputs file of its run."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from ragate import plugins
from ragate.answers.collected_outputs import (
    Finish,
    OnOutput,
    Room,
    ask,
    finished,
    no_wait,
    run_pass,
    unheard,
)
from ragate.answers.milestones import told_if_slow
from ragate.answers.new_manifest import WorkTree, labelled, new_manifest
from ragate.answers.output_spool import Outputs
from ragate.answers.relative_dates import asked_on, date_of
from ragate.answers.run_profile import Selection
from ragate.answers.sample_time import within
from ragate.answers.wrapped_system import RestartableSystem, restartable
from ragate.config import Config
from ragate.errors import ConfigError
from ragate.extension import lacking, loaded, system_hooks
from ragate.guards.seal import refuse_changes
from ragate.models import Run, RunManifest, Sample, SystemOutput
from ragate.protocols import Resources, System, system_abilities
from ragate.resources.operations import Operations
from ragate.resources.resources import Opened, open_resources
from ragate.stores.begun_run import BegunRun
from ragate.stores.local import LocalStore, new_run_id
from ragate.stores.run_outputs import OutputsWriter, open_outputs


@dataclass(frozen=True)
class SystemRequest:
    """What a system is opened for.

    Attributes:
        run_id: The run's, which it keeps where it goes on.
        recording: Names the recording of a baseline, which takes no answers but its own.
        resumed: The run goes on.
    """

    config: Config
    operations: Operations
    selection: Selection
    run_id: str = ""
    recording: str = ""
    resumed: bool = False


@dataclass(frozen=True)
class OpenedSystem:
    """A system, and what carries the calls of its outputs out, where the policy names that."""

    system: System
    executor: Finish | None = None


StartsSystem = Callable[[Resources], AbstractAsyncContextManager[System]]
OpensSystem = Callable[[SystemRequest, Opened], AbstractAsyncContextManager[OpenedSystem]]


@runtime_checkable
class PassSystem(Protocol):
    """What a system may have as well: it takes the questions of a whole pass at once."""

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for one sample."""
        outputs = await self.answer_pass([sample], run, on_output=unheard, room=no_wait)
        return outputs[sample.id]

    async def answer_pass(
        self, samples: Sequence[Sample], run: int, *, on_output: OnOutput, room: Room
    ) -> Outputs:
        """Return the outputs of one pass; the arguments are as in `run_pass`."""
        ...


@asynccontextmanager
async def open_here(request: SystemRequest, opened: Opened) -> AsyncIterator[OpenedSystem]:
    """Yield the system under test, which this process asks."""
    config, executor = request.config, None
    async with AsyncExitStack() as stack:
        if config.policy.execution is not None:
            from ragate.executors.executor import open_executor

            today = date_of(request.selection.eval_date)
            executor = await stack.enter_async_context(open_executor(config, opened.system, today))
        yield OpenedSystem(await stack.enter_async_context(open_tested(request, opened)), executor)


def open_tested(request: SystemRequest, opened: Opened) -> AbstractAsyncContextManager[System]:
    """Return the system under test, to be opened, with what extensions put around it.

    Raises:
        ConfigError: it is to be recorded, and nothing here does that.
    """
    start: StartsSystem = partial(_start, request.config)
    hooks = system_hooks(request.config)
    for each, hook in hooks:
        start = partial(loaded(each, hook.path), request, opened, start)
    if not hooks and request.config.system.settings.get("record") is True:
        _refuse_unrecorded(request.config)
    return start(opened.system)


def _refuse_unrecorded(config: Config) -> None:
    """Refuse a run whose calls would go to the provider unseen; a plugin's own key is its own."""
    if plugins.is_builtin("systems", config.system.use):
        raise ConfigError(
            f"[system] record = true: nothing that is installed records calls{lacking()}",
            remedy="install what does, or take the key out",
        )


def _start(config: Config, resources: Resources) -> AbstractAsyncContextManager[System]:
    use, settings = config.system.use, config.system.settings
    return RestartableSystem(lambda: plugins.system(use, settings, resources))


LookFirst = Callable[[Opened], Awaitable[None]]


async def no_look(_opened: Opened) -> None:
    return


@dataclass(frozen=True)
class ReadySystem:
    """A system that can be asked, and what a run of it needs.

    Attributes:
        manifest: The run's, as it begins.
        head: The commit that is checked out, "" without git.
        writer: Keeps the run's outputs as they arrive; None where they are files already.
        executor: Carries the calls of outputs out, where the policy names what does.
        eval_date: What ``{today}`` stands for, "" for today.
        passes: What the files hold.
    """

    system: System
    opened: Opened
    operations: Operations
    manifest: RunManifest
    head: str = ""
    writer: OutputsWriter | None = None
    executor: Finish | None = None
    eval_date: str = ""
    passes: Sequence[Outputs] = ()

    @property
    def folder(self) -> Path:
        """Return the run's own folder."""
        return LocalStore(self.operations.state).folder(self.manifest.run_id)

    def keep(self, sample: Sample, output: SystemOutput, *, run: int) -> None:
        """Add an output to the run's file."""
        if self.writer is not None:
            self.writer.append(sample, output, run=run)

    async def answers(
        self,
        samples: Sequence[Sample],
        run: int,
        *,
        on_output: OnOutput = unheard,
        on_lost: OnOutput = unheard,
        room: Room = no_wait,
    ) -> Outputs:
        """Return the outputs of one pass; what is told is as in `run_pass`."""
        if isinstance(self.system, PassSystem):
            return await self.system.answer_pass(samples, run, on_output=on_output, room=room)
        system = self.opened.system
        # A sample that waits for its turn in the system would run out of time.
        limit = system_abilities(self.system).max_concurrency
        return await run_pass(
            asked_on(self.system, self.eval_date),
            samples,
            run=run,
            concurrency=min(system.concurrency, limit or system.concurrency),
            timeout_s=system.timeout_s,
            on_output=on_output,
            on_lost=on_lost,
            room=room,
            finish=self.executor or finished,
        )


@asynccontextmanager
async def open_ready_system(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    selection: Selection,
    *,
    baseline: Run | None = None,
    recording: str = "",
    look_first: LookFirst = no_look,
    interrupted: BegunRun | None = None,
    opens: OpensSystem = open_here,
) -> AsyncIterator[ReadySystem]:
    """Yield the system under test, up to date, with its outputs file open.

    Args:
        baseline: Its answers are taken where a model request is the same.
        recording: Names the recording of a baseline, which takes no answers but its own.
        look_first: Looks at what the run needs before the system is started or brought up to date.
        interrupted: The run that goes on; its file keeps what it holds.
        opens: Gives what is asked.

    Raises:
        BudgetError: ``max_minutes`` of the policy has passed; finished outputs are kept.
    """
    async with AsyncExitStack() as stack:
        stack.callback(refuse_changes)  # last, whoever took care of an error
        resources = open_resources(
            config,
            operations,
            baseline=baseline,
            session=recording,
            top_k=selection.filters.top_k,
            retrieval_only=selection.retrieval_only,
        )
        opened = await stack.enter_async_context(resources)
        await look_first(opened)
        run_id = new_run_id() if interrupted is None else interrupted.run_id
        tree = WorkTree.of(config, operations)
        request = SystemRequest(
            config, operations, selection, run_id, recording, interrupted is not None
        )
        with told_if_slow(operations.say, f"setting up the system {config.system.use}"):
            asked = await stack.enter_async_context(opens(request, opened))
            system, executor = asked.system, asked.executor
            await system.prepare()
        manifest = await new_manifest(config, operations, system, samples, selection, run_id, tree)
        if recording or _is_repetition_shown(baseline, system):
            manifest = manifest.amended(own_sessions=_has_sessions(system))
        store = LocalStore(operations.state)
        kept = open_outputs(store, manifest, samples=len(samples), interrupted=interrupted)
        with kept as (writer, begun):
            manifest = labelled(begun, operations, config.root)
            remedy = f"the finished outputs are in {writer.path}"
            async with within(config.policy.max_minutes, remedy=remedy):
                head, day = tree.head, selection.eval_date
                yield ReadySystem(system, opened, operations, manifest, head, writer, executor, day)


def _is_repetition_shown(baseline: Run | None, system: System) -> bool:
    """Return whether a baseline's sessions show what repeats, beyond what the system declares."""
    if baseline is None:
        return False
    from ragate.core.comparison.repeating_samples import evident_parts

    return bool(evident_parts(baseline) - system.info.deterministic)


def _has_sessions(system: System) -> bool:
    """Return whether each pass can be asked of a system that was started anew."""
    renewable = isinstance(system, PassSystem) or restartable(system) is not None
    return renewable and system.max_runs is None


async def ingest(config: Config, operations: Operations, *, rebuild: bool) -> int | None:
    """Bring the system's index up to date; return its number of documents, None without one."""
    request = SystemRequest(config, operations, Selection())
    async with (
        open_resources(config, operations) as opened,
        open_tested(request, opened) as system,
    ):
        await system.prepare(rebuild=rebuild)
        documents: frozenset[str] | None = await system.documents()
    return None if documents is None else len(documents)


# Questions to the system under test, outside of any gate.


@asynccontextmanager
async def open_for_questions(
    config: Config, operations: Operations
) -> AsyncIterator[Callable[[Sample], Awaitable[SystemOutput]]]:
    """Yield what asks the system, opened as for a run; nothing is stored.

    Raises:
        RagateError: the system cannot be started.
    """
    request = SystemRequest(config, operations, Selection())
    async with (
        open_resources(config, operations) as resources,
        open_tested(request, resources) as system,
    ):
        await system.prepare()

        async def put(sample: Sample) -> SystemOutput:
            return await ask(system, sample, run=0, timeout_s=resources.system.timeout_s)

        yield put
