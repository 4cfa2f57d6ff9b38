"""A run that goes to workers: its plan is put into the queue, and taken back where the run ends."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

from ragate.core.comparison.run_passes import is_measured
from ragate.core.hashing import content_hash, digest
from ragate.core.lookup import samples_by_id
from ragate.errors import DatasetError, NotReadyError, RagateError, UsageError
from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.outputs.outputs_file import validated_output
from ragate.pipeline.run.collected_outputs import OnOutput, Room
from ragate.pipeline.run.ready_system import (
    OpenedSystem,
    OpensSystem,
    PassSystem,
    SystemRequest,
    open_here,
)
from ragate.pipeline.shards.shard_plan import ShardPlan
from ragate.pipeline.workers.plan_budget import close_budget, note_queued, shared
from ragate.pipeline.workers.plan_head import (
    Greeting,
    dated_selection,
    frozen,
    head_of,
    queue_name,
    read_error,
    read_greeting,
)
from ragate.protocols import SystemAbilities
from ragate.queue.engine import (
    PRIORITY_CHECK,
    PRIORITY_RECORDING,
    STALLED_S,
    Queue,
    alone_at,
    open_queue,
)
from ragate.queue.serving_role import VARIABLE, serving_role
from ragate.queue.submission import Submission, delete_plan
from ragate.recorder.open_system import is_recorded_system
from ragate.runtime.output_spool import Outputs, Spool
from ragate.runtime.resources import Opened
from ragate.runtime.sample_time import within
from ragate.stores.local import LocalStore
from ragate.stores.spent_calls import SpentCalls
from ragate.support.strict_json import loads
from ragate.version import MANUAL

_POLL_S = 0.2
CANCEL_S = 20.0
END_S = 10.0  # for a database that is gone when nothing of it is needed any more
LOOK_S = 2.0
LOST_S = 10.0  # between looks at every job
HINT_S = 15.0  # without anything done by anybody
ALONE_S = 600.0


def opens_on_workers(url: str) -> OpensSystem:
    """Return what opens the system under test on the workers of a queue."""
    return partial(_open, url)


@asynccontextmanager
async def _open(url: str, request: SystemRequest, opened: Opened) -> AsyncIterator[OpenedSystem]:
    say, policy = request.operations.say, request.config.policy
    plan = plan_of(request)
    checkout = f"commit {plan.commit[:12]}" if plan.commit else "these files"
    where = f"in a checkout of {checkout}, with ragate {plan.ragate_version}"
    async with open_queue(url, say=say) as queue:
        submission = await _submission(queue, plan, request)
        async with alone_at(queue, submission.plan):
            resumed = await submission.begin()
            spent = spent_calls(request)
            async with (
                _taken_back(queue, submission, spent),
                shared(queue, submission.plan, policy, opened.budget, spent) as count,
            ):
                yield OpenedSystem(
                    WorkersSystem(
                        submission,
                        Watch(submission, say, where),
                        resumed=resumed,
                        after_pass=count,
                        max_minutes=policy.max_minutes,
                    )
                )
            await _end(queue, submission.plan, spent)


async def _submission(queue: Queue, plan: ShardPlan, request: SystemRequest) -> Submission:
    role = await serving_role(queue, request.operations.environment.get(VARIABLE, ""))
    return Submission(
        queue,
        plan_name(plan, request),
        queue_name(plan, role),
        head_of(plan, request.recording).model_dump_json(),
        role=role,
        priority=PRIORITY_RECORDING if request.recording else PRIORITY_CHECK,
    )


@asynccontextmanager
async def _taken_back(
    queue: Queue, submission: Submission, spent: SpentCalls
) -> AsyncIterator[None]:
    """Take a run back from the workers where it does not come to its end."""
    try:
        yield
    except BaseException:
        with suppress(Exception):  # what ended the run is what is told
            async with asyncio.timeout(CANCEL_S):
                await submission.cancel()
                await note_queued(queue, submission.plan, spent)
        raise


async def _end(queue: Queue, plan: str, spent: SpentCalls) -> None:
    """Take a run that has all it needs out of the queue; a database that is gone costs nothing."""
    brief = replace(queue, patience_s=END_S)
    try:
        await note_queued(brief, plan, spent)
        await delete_plan(brief, plan)
        await close_budget(brief, plan)
    except Exception as error:  # noqa: BLE001 - what was measured is not lost with it
        reason = error.message if isinstance(error, RagateError) else error
        queue.say(f"warning: the run has all it needs, and stays in the queue for a week: {reason}")


def spent_calls(request: SystemRequest) -> SpentCalls:
    """Return what the run spent before, where it goes on, and spends."""
    return SpentCalls(LocalStore(request.operations.state).folder(request.run_id))


def plan_name(plan: ShardPlan, request: SystemRequest) -> str:
    """Return the name of one run of a plan in the queue: it stays where the run goes on."""
    return digest([plan.digest, request.recording or request.run_id])


def plan_of(request: SystemRequest) -> ShardPlan:
    """Return the plan of a run.

    Raises:
        UsageError: its calls are recorded, which one process has to see.
    """
    config = request.config
    if is_recorded_system(config):
        raise UsageError(
            "--workers with [system] record = true: calls are recorded in one process",
            remedy=f"leave out --workers, or collect shards: {MANUAL}/forks.md",
        )
    return frozen(config, request.operations, dated_selection(request.selection))


# Looking after a plan while its outputs are waited for: who works at it, and what went wrong.


class Watch:
    """Looks at a plan's blocks every now and then.

    Args:
        where: What a worker is to be started in.
    """

    def __init__(self, submission: Submission, say: Callable[[str], None], where: str) -> None:
        self._submission = submission
        self._say = say
        self._where = where
        self._looked = self._looked_for_lost = self._moved = time.monotonic()
        self._hinted = False
        self._told: set[str] = set()

    def moved(self) -> None:
        """Note that something was done."""
        self._moved = time.monotonic()
        self._hinted = False

    async def look(self) -> None:
        """Say what went wrong, and who is missing.

        Raises:
            RagateError: a block cannot be done: as the worker had it.
            NotReadyError: there has been no worker for a long time.
        """
        now = time.monotonic()
        if now - self._looked < LOOK_S:
            return
        self._looked = now
        lost = now - self._looked_for_lost >= LOST_S
        if lost:
            self._looked_for_lost = now
        for trouble in await self._submission.troubles(lost=lost):
            error = read_error(trouble.block, trouble.error)
            if trouble.final:
                raise error
            if error.message not in self._told:
                self._told.add(error.message)
                self._say(f"given back: {error.message}; another worker may do it")
        if await self._submission.jobs.at_work():
            self.moved()
        elif now - self._moved >= ALONE_S:
            raise NotReadyError(
                f"no worker took a block for {ALONE_S / 60:g} minutes",
                remedy=f"start `ragate worker` {self._where}; then go on with --resume",
            )
        elif now - self._moved >= HINT_S and not self._hinted:
            self._hinted = True
            self._say(
                f"no worker takes a block of queue {self._submission.queue_name}: start `ragate "
                f"worker` {self._where}"
            )


# The system under test as whoever submits has it: nothing of it runs here, workers ask it.


class WorkersSystem(PassSystem):
    """A `System` whose questions workers ask, a pass at a time.

    Args:
        after_pass: Is waited for when the outputs of a pass are there.
        max_minutes: Of the policy, for the first worker to open its system.
    """

    def __init__(
        self,
        submission: Submission,
        watch: Watch,
        *,
        resumed: bool,
        after_pass: Callable[[], Awaitable[None]],
        max_minutes: float,
    ) -> None:
        self._submission = submission
        self._watch = watch
        self._after_pass = after_pass
        self._resumed = resumed
        self._max_minutes = max_minutes
        self._rebuilds = 0
        self._greeting: Greeting | None = None

    @property
    def info(self) -> SystemInfo:
        return self._said.system

    @property
    def max_runs(self) -> int | None:
        return self._said.max_runs

    @property
    def abilities(self) -> SystemAbilities:
        return replace(self._said.abilities, max_concurrency=None)  # each worker keeps to its own

    @property
    def _said(self) -> Greeting:
        if self._greeting is None:
            raise AssertionError("a system that no worker has opened yet")
        return self._greeting

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Wait until a worker has opened the system; `rebuild` makes each do it anew."""
        self._rebuilds += rebuild
        if self._greeting is not None:
            return
        # The run's own limit begins when the system is ready; a worker may open it for ever.
        async with within(self._max_minutes, remedy="see what the worker does, or end it"):
            text = await self._greeted()
        self._greeting = read_greeting(text)
        self._watch.moved()

    async def _greeted(self) -> str:
        """Return what the first worker said, when one has."""
        text = await self._submission.greeting()
        if text is None:
            await self._submission.add(0, (), rebuilds=0)
        while text is None:
            await asyncio.sleep(_POLL_S)
            await self._watch.look()
            text = await self._submission.greeting()
        return text

    async def documents(self) -> frozenset[str] | None:
        """Return what the first worker's system can retrieve."""
        documents = self._said.documents
        return None if documents is None else frozenset(documents)

    async def answer_pass(
        self, samples: Sequence[Sample], run: int, *, on_output: OnOutput, room: Room
    ) -> Outputs:
        """Return the outputs of one pass, which workers give; the arguments are as in `run_pass`.

        Raises:
            DatasetError: an output is none of a sample that was asked.
            RagateError: a block cannot be done.
        """
        outputs = Spool()
        by_id = samples_by_id(samples)
        async for key, output in self._outputs(by_id, run):
            on_output(by_id[key], output, run)
            outputs[key] = output
            await room()
        await self._after_pass()
        return outputs

    async def _outputs(
        self, by_id: Mapping[str, Sample], run: int
    ) -> AsyncIterator[tuple[str, SystemOutput]]:
        missing = set(by_id)
        last = -1
        if self._resumed:
            async for key, output in self._earlier(by_id, run):
                missing.discard(key)
                yield key, output
        await self._submission.add(
            run, [key for key in by_id if key in missing], rebuilds=self._rebuilds
        )
        while missing:
            arrivals = await self._submission.arrivals(run, last)
            for each in arrivals:
                last = each.number
                if each.sample in missing:
                    missing.discard(each.sample)
                    yield each.sample, _output(each.line, by_id[each.sample], run)
            if arrivals:
                self._watch.moved()
            await self._watch.look()
            if not arrivals:
                await asyncio.sleep(_POLL_S)

    async def _earlier(
        self, by_id: Mapping[str, Sample], run: int
    ) -> AsyncIterator[tuple[str, SystemOutput]]:
        """Yield what the run had of this pass; what a provider left unanswered is forgotten."""
        last, unanswered = -1, list[str]()
        while arrivals := await self._submission.arrivals(run, last):
            for each in arrivals:
                last = each.number
                if each.sample not in by_id:
                    continue
                output = _output(each.line, by_id[each.sample], run)
                if is_measured(output):
                    yield each.sample, output
                else:
                    unanswered.append(each.sample)
        if unanswered:
            await self._submission.forget(run, unanswered)


def _output(line: str, sample: Sample, run: int) -> SystemOutput:
    """Return the output of a line that a worker wrote.

    Raises:
        DatasetError: it is no output, or one of another sample or pass.
    """
    where = f"output of {sample.id!r} in run {run}, from a worker"
    recorded = validated_output(where, loads(line.encode(), where=where, error=DatasetError))
    if (recorded.id, recorded.run, recorded.hash) != (sample.id, run, content_hash(sample)):
        raise DatasetError(
            f"{where}: it says it is of {recorded.id!r} in run {recorded.run}",
            remedy="look at who else has the role of the workers in this database",
        )
    return recorded.output()


# A run that workers asked goes on without them: nothing of it is asked twice or spent unseen.


_PAUSE_S = 0.2


def opens_without_workers(find_queue: Callable[[], str]) -> OpensSystem:
    """Return what opens the system under test here; what workers have of the run is taken back.

    Args:
        find_queue: Returns the queue's connection string, or raises; called where workers were
            asked.
    """
    return partial(_open_here, find_queue)


@asynccontextmanager
async def _open_here(
    find_queue: Callable[[], str], request: SystemRequest, opened: Opened
) -> AsyncIterator[OpenedSystem]:
    if request.resumed and spent_calls(request).was_submitted:
        await _take_back(find_queue(), request)
    async with open_here(request, opened) as asked:
        yield asked


async def _take_back(url: str, request: SystemRequest) -> None:
    """End what workers do for the run, then note what they spent.

    Raises:
        UsageError: another process is at the run.
        DatabaseError: the queue is out of reach.
    """
    plan = plan_name(plan_of(request), request)
    async with open_queue(url, say=request.operations.say) as queue, alone_at(queue, plan):
        for (name,) in await queue.rows(
            "SELECT queue FROM ragate_work.plans WHERE plan = %s", plan
        ):
            submission = Submission(queue, plan, name, "")
            await submission.cancel()
            with suppress(TimeoutError):  # those that are gone answer nothing
                async with asyncio.timeout(STALLED_S):
                    while await submission.jobs.under_way():  # noqa: ASYNC110 - others end it
                        await asyncio.sleep(_PAUSE_S)
        await note_queued(queue, plan, spent_calls(request))
