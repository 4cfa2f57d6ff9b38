"""A run that goes to workers: its passes become jobs, and their results its outputs."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from ragate.answers.collected_outputs import OnOutput, Room
from ragate.answers.output_spool import Outputs, Spool
from ragate.answers.ready_system import (
    OpenedSystem,
    OpensSystem,
    PassSystem,
    SystemRequest,
    open_here,
)
from ragate.answers.relative_dates import date_of
from ragate.answers.sample_time import within
from ragate.clients.budget import Budget, Tally, cap_reached
from ragate.config import Config
from ragate.contrib.workers.block import (
    BLOCK_SIZE,
    Greeting,
    SampleBlock,
    checkout,
    read_spent,
    read_trouble,
    share_paces,
)
from ragate.contrib.workers.queue import (
    NO_PASS,
    STALLED_S,
    SYSTEM,
    TASK,
    VARIABLE,
    Queue,
    open_queue,
    queue_url,
)
from ragate.core.lookup import samples_by_id
from ragate.errors import DatasetError, NotReadyError, RagateError, UsageError
from ragate.files.strict_json import loads
from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.outputs.outputs_file import validated_output
from ragate.protocols import SystemAbilities
from ragate.resources.operations import Operations
from ragate.resources.resources import Opened
from ragate.spans import waiting
from ragate.version import MANUAL

_POLL_S = 0.2
CANCEL_S = 20.0
END_S = 10.0  # for a database that is gone when nothing of it is needed any more
LOOK_S = 2.0
HINT_S = 15.0  # without anything done by anybody
ALONE_S = 600.0
_KEPT_DAYS = 7
_AT_ONCE = 200  # blocks in one statement
_NOBODY = "no worker takes a block"
_SLACK = 1e-9
_MOST_USD, _MOST_S = 1e9, 1e9  # JSON has no infinity
_CHECK, _RECORDING = 1, 0  # priorities: somebody waits for a verdict

# Of a run that goes on: what a provider left unanswered is asked again, all else is read again.
_FORGET = """
DELETE FROM results WHERE made < now() - make_interval(days => %s)
    OR (run = %s AND pass >= 0 AND line::json -> 'error' ->> 'kind' = 'provider')
"""
_UNREAD = "UPDATE results SET read = pass < 0 WHERE run = %s"
_NEXT = "SELECT name, line FROM results WHERE run = %s AND pass = %s AND NOT read LIMIT 100"
_READ = "UPDATE results SET read = true WHERE run = %s AND pass = %s AND name = ANY(%s)"
_TROUBLES = """
UPDATE results SET read = true WHERE run = %s AND pass < 0 AND NOT read AND name <> %s
RETURNING block, line
"""
_SPENT = "SELECT spent FROM results WHERE run = %s AND block = %s"
_JOBS = """
SELECT j.args, coalesce(w.last_heartbeat > now() - make_interval(secs => %s), false)
FROM procrastinate_jobs j LEFT JOIN procrastinate_workers w ON w.id = j.worker_id
WHERE j.queue_name = %s AND j.status IN ('todo', 'doing') AND NOT j.abort_requested
"""
_OLD_JOBS = """
DELETE FROM procrastinate_jobs
WHERE (args ->> 'until')::float8 < extract(epoch FROM now()) - 86400
"""
_TAKE_BACK = """
DELETE FROM procrastinate_jobs WHERE args ->> 'run' = %s AND status <> 'doing'
"""
_ABORT = """
UPDATE procrastinate_jobs SET abort_requested = true WHERE args ->> 'run' = %s AND status = 'doing'
"""


def opens(operations: Operations, given: bool) -> OpensSystem | None:
    """Return what opens the system under test: on workers where `--workers` is given.

    Else the run goes on, and what workers have of it, perhaps, is taken back.

    Raises:
        RagateError: as `queue_url`.
    """
    if given:
        return opens_on_workers(queue_url(operations, "--workers"))
    if not operations.environment.get(VARIABLE):
        return None
    return partial(_open_here, queue_url(operations, "--resume"))


def opens_on_workers(url: str) -> OpensSystem:
    """Return what opens the system under test on the workers of a queue."""
    return partial(_open, url)


@asynccontextmanager
async def _open(url: str, request: SystemRequest, opened: Opened) -> AsyncIterator[OpenedSystem]:
    if request.config.system.settings.get("record") is True:
        raise UsageError(
            "--workers with [system] record = true: calls are recorded in one process",
            remedy=f"leave out --workers, or collect shards: {MANUAL}/forks.md",
        )
    if request.selection.filters.settings:
        raise UsageError(
            "--set with workers: they ask by the ragate.toml of their own checkout",
            remedy="leave out the workers, or write the value into ragate.toml everywhere",
        )
    async with open_queue(url, say=request.operations.say) as queue:
        blocks = GivenBlocks(queue, request, opened.budget)
        await blocks.begin()
        watch = asyncio.create_task(blocks.watch())
        watch.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        try:
            yield OpenedSystem(WorkersSystem(blocks, watch, request.config))
        except BaseException:
            with suppress(Exception):  # what ended the run is what is told
                async with asyncio.timeout(CANCEL_S):
                    await blocks.take_back()
            raise
        finally:
            watch.cancel()
        await blocks.end()


@asynccontextmanager
async def _open_here(
    url: str, request: SystemRequest, opened: Opened
) -> AsyncIterator[OpenedSystem]:
    async with open_queue(url, say=request.operations.say, patience_s=END_S) as queue:
        blocks = GivenBlocks(queue, request, opened.budget)
        await blocks.begin()
        await blocks.take_back()
    async with open_here(request, opened) as asked:
        yield asked


class GivenBlocks:
    """The blocks of a run that workers have, and what came of them."""

    def __init__(self, queue: Queue, request: SystemRequest, budget: Budget) -> None:
        self._run = request.recording or request.run_id
        self._queue = queue
        self._here = checkout(request.config, request.operations)
        self._request = request
        self._budget = budget
        self._given: dict[str, SampleBlock] = {}
        self._ended: list[SampleBlock] = []
        self._short: dict[str, str] = {}  # the cap that was too small, by block
        self._moved = time.monotonic()
        self._told: set[str] = set()
        self._settling = asyncio.Lock()

    async def begin(self) -> None:
        """Take up what an earlier process of this run gave to workers, and what came of it."""
        await self._queue.rows(_OLD_JOBS)
        await self._queue.rows(_FORGET, _KEPT_DAYS, self._run)
        await self._queue.rows(_UNREAD, self._run)
        for arguments, _ in await self._jobs():
            if arguments["run"] == self._run:
                block = SampleBlock.model_validate(arguments)
                self._given[block.name] = block
                self._budget.lend(block.calls, block.usd)
                if self._request.resumed:  # whose record counts these shares as spent already
                    self._budget.tally.calls -= block.calls
                    self._budget.tally.cost_usd -= block.usd

    async def take_back(self) -> None:
        """Let workers do no more of it; what came of it stays, for `--resume`."""
        await self._queue.rows(_TAKE_BACK, self._run)
        await self._queue.rows(_ABORT, self._run)
        for block in list(self._given.values()):
            await self._settle(block)

    async def end(self) -> None:
        """Take a run that has all it needs out; a database that is gone costs nothing then."""
        brief = replace(self._queue, patience_s=END_S)
        try:
            await brief.rows(_TAKE_BACK, self._run)
            await brief.rows(_ABORT, self._run)
            await brief.rows("DELETE FROM results WHERE run = %s", self._run)
        except Exception as error:  # noqa: BLE001 - what was measured is not lost with it
            reason = error.message if isinstance(error, RagateError) else error
            self._queue.say(
                f"warning: the run has all it needs, and stays in the queue for a week: {reason}"
            )

    # What workers get.

    def covered(self, turn: int) -> set[str]:
        """Return the samples of a pass that workers have."""
        return {key for each in self._given.values() if each.turn == turn for key in each.samples}

    async def give(self, turn: int, samples: Sequence[str], *, rebuilds: int) -> None:
        """Let workers have samples of one pass, with all that is left of the caps.

        What they do not need comes back as they end; who judges meanwhile waits for it.

        Args:
            samples: Ids; none makes one block that only opens the system.
        """
        parts = [samples[at : at + BLOCK_SIZE] for at in range(0, len(samples) or 1, BLOCK_SIZE)]
        calls, usd = self._budget.left
        selection, until = self._request.selection, await self._until()
        blocks = [
            SampleBlock(
                run=self._run,
                name=uuid.uuid4().hex,
                turn=turn,
                rebuilds=rebuilds,
                samples=tuple(part),
                calls=calls // len(parts),
                usd=min(usd, _MOST_USD) / len(parts),
                until=until,
                usual_usd=self._budget.usual_usd,
                recording=self._request.recording,
                eval_date=date_of(selection.eval_date),
                top_k=selection.filters.top_k,
                retrieval_only=selection.retrieval_only,
            )
            for part in parts
        ]
        for start in range(0, len(blocks), _AT_ONCE):
            await self._defer(blocks[start : start + _AT_ONCE])

    async def give_again(self, block: SampleBlock, samples: Sequence[str], *, among: int) -> bool:
        """Let others have what a block lacks; False where its share has to be waited for.

        Args:
            among: How many blocks want more.

        Raises:
            BudgetError: its share did not do, and no more is left.
        """
        left = self._budget.left
        share = left[0] // among, min(left[1], _MOST_USD) / among
        if cap := self._short.get(block.name):
            number = ("max_calls", "max_cost_usd").index(cap)
            spent = await self._spent(block)
            has_gone_on = (spent.calls, spent.cost_usd)[number] > 0
            least = _SLACK + (0 if has_gone_on else (block.calls, block.usd)[number])
            if share[number] <= least and self._given:
                return False
            if left[number] <= least:
                most = getattr(self._request.config.policy, cap)
                raise cap_reached(cap, most, self._budget.used[number])
            share = share if share[number] > least else (left[0], min(left[1], _MOST_USD))
        again = block.amended(
            name=uuid.uuid4().hex,
            samples=tuple(samples),
            calls=share[0],
            usd=share[1],
            until=await self._until(),
            usual_usd=self._budget.usual_usd,
        )
        await self._defer([again])
        return True

    async def _until(self) -> float:
        now, _ = await self._queue.clock()
        return now + min(self._request.config.policy.max_minutes * 60, _MOST_S)

    async def _defer(self, blocks: Sequence[SampleBlock]) -> None:
        from procrastinate.exceptions import AlreadyEnqueued
        from procrastinate.jobs import Job

        jobs = [
            Job(
                queue=self._here.queue,
                lock=None,
                queueing_lock=block.name,
                task_name=TASK,
                priority=_RECORDING if block.recording else _CHECK,
                task_kwargs=block.model_dump(mode="json"),
            )
            for block in blocks
        ]
        for block in blocks:
            self._budget.lend(block.calls, block.usd)
        with suppress(AlreadyEnqueued):  # the answer to an earlier try was lost
            await self._queue.patient(
                partial(self._queue.app.job_manager.batch_defer_jobs_async, jobs)
            )
        self._given |= {block.name: block for block in blocks}  # now that their jobs are there

    # What comes of it.

    async def system(self) -> Greeting | None:
        """Return what the first worker said of the system; None where none has come yet."""
        line = await self._queue.system(self._run)
        return Greeting.model_validate_json(line) if line else None

    async def unread(self, turn: int) -> list[tuple[str, str]]:
        """Return results of a pass, each an id and a line, until they are said to be read."""
        return [(name, line) for name, line in await self._queue.rows(_NEXT, self._run, turn)]

    async def read(self, turn: int, names: Sequence[str]) -> None:
        """Say that results are kept elsewhere."""
        self._moved = time.monotonic()
        await self._queue.rows(_READ, self._run, turn, list(names))

    def take_ended(self) -> list[SampleBlock]:
        """Return blocks that no worker has any more; all that came of them can be read."""
        ended, self._ended = self._ended, []
        return ended

    async def close(self, turn: int) -> None:
        """Count what was spent on a pass whose results have all been read."""
        for block in [each for each in self._given.values() if each.turn == turn]:
            await self._settle(block)
        self._ended.clear()

    async def _settle(self, block: SampleBlock) -> None:
        """Take back what a block did not spend of its share; whoever wants that too waits for it.

        Until it is counted the block is given: nobody takes its share for used up or forgotten.
        """
        async with self._settling:
            if block.name in self._given:
                spent = await self._spent(block)
                del self._given[block.name]
                self._budget.returned(block.calls, block.usd, spent)

    async def _spent(self, block: SampleBlock) -> Tally:
        rows = await self._queue.rows(_SPENT, self._run, block.name)
        return sum((read_spent(line) for (line,) in rows), Tally())

    async def watch(self) -> None:
        """Look every now and then what workers have, what went wrong, and who is missing.

        Raises:
            RagateError: a block cannot be done: as the worker had it.
            NotReadyError: there has been no worker for a long time.
        """
        while True:
            await asyncio.sleep(LOOK_S)
            given = list(self._given.values())
            jobs = await self._jobs()
            had = {arguments["name"] for arguments, _ in jobs}
            ended = [each for each in given if each.name not in had]
            for name, line in await self._queue.rows(_TROUBLES, self._run, SYSTEM):
                self._hear(name, line)
            for block in ended:
                await self._settle(block)
                self._ended.append(block)
            if any(is_alive for _, is_alive in jobs) or not self._given:
                self._moved = time.monotonic()
                self._told.discard(_NOBODY)
            self._miss(time.monotonic() - self._moved)
            _, workers = await self._queue.clock()
            share_paces(self._budget, self._request.config, workers)

    def _hear(self, name: str, line: str) -> None:
        trouble = read_trouble(line)
        if trouble.final:
            raise trouble.error
        if trouble.short:
            self._short[name] = trouble.short
        elif trouble.message not in self._told:
            self._told.add(trouble.message)
            self._queue.say(f"given back: {trouble.error.message}; another worker may do it")

    def _miss(self, seconds: float) -> None:
        where = f"start `ragate worker` in a checkout of {self._here.words}"
        if seconds >= ALONE_S:
            raise NotReadyError(
                f"no worker took a block for {ALONE_S / 60:g} minutes",
                remedy=f"{where}; then go on with --resume",
            )
        if seconds >= HINT_S and _NOBODY not in self._told:
            self._told.add(_NOBODY)
            self._queue.say(f"{_NOBODY} of queue {self._here.queue}: {where}")

    async def _jobs(self) -> list[tuple[Any, ...]]:
        """Return the arguments of all jobs of the queue, and whether a worker is at each."""
        return await self._queue.rows(_JOBS, STALLED_S, self._here.queue)


class WorkersSystem(PassSystem):
    """A `System` whose questions workers ask, a pass at a time; nothing of it runs here.

    Args:
        watch: Ends where something is wrong.
    """

    def __init__(self, blocks: GivenBlocks, watch: asyncio.Task[None], config: Config) -> None:
        self._blocks = blocks
        self._watch = watch
        self._config = config
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

    async def documents(self) -> frozenset[str] | None:
        """Return what the first worker's system can retrieve."""
        documents = self._said.documents
        return None if documents is None else frozenset(documents)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Wait until a worker has opened the system; `rebuild` makes each do it anew."""
        self._rebuilds += rebuild
        if self._greeting is not None:
            return
        # The run's own limit begins when the system is ready; a worker may open it for ever.
        minutes = self._config.policy.max_minutes
        async with within(minutes, remedy="see what the worker does, or end it"):
            self._greeting = await self._blocks.system()
            if self._greeting is None:
                await self._blocks.give(NO_PASS, (), rebuilds=0)
            ended = list[SampleBlock]()
            while self._greeting is None:
                await self._pause()
                ended += self._blocks.take_ended()
                self._greeting = await self._blocks.system()
                ended = await self._give_again(ended, ())
        await self._blocks.close(NO_PASS)

    async def answer_pass(
        self, samples: Sequence[Sample], run: int, *, on_output: OnOutput, room: Room
    ) -> Outputs:
        """Return the outputs of one pass, which workers give; the arguments are as in `run_pass`.

        Raises:
            DatasetError: a line of a worker is no output.
            RagateError: a block cannot be done.
        """
        outputs = Spool()
        by_id = samples_by_id(samples)
        missing, ended = set(by_id), list[SampleBlock]()
        is_given = False
        while missing:
            ended += self._blocks.take_ended()  # before their results are looked for
            rows = await self._blocks.unread(run)
            for name, line in rows:
                if name in missing:
                    missing.discard(name)
                    outputs[name] = _output(name, line)
                    on_output(by_id[name], outputs[name], run)
                    waiting("samples", len(missing))
                    await room()
            if rows:
                await self._blocks.read(run, [name for name, _ in rows])
            elif not is_given:
                is_given = True
                wanted = missing - self._blocks.covered(run)
                if wanted:
                    keys = [key for key in by_id if key in wanted]
                    await self._blocks.give(run, keys, rebuilds=self._rebuilds)
            else:
                ended = [each for each in ended if each.turn == run]
                ended = await self._give_again(ended, missing)
                await self._pause()
        await self._blocks.close(run)
        return outputs

    async def _give_again(
        self, ended: Sequence[SampleBlock], missing: Collection[str]
    ) -> list[SampleBlock]:
        """Let others have what ended blocks lack; return those whose share is waited for."""
        waiting = []
        lacks = {each.name: [key for key in each.samples if key in missing] for each in ended}
        wanted = [each for each in ended if lacks[each.name] or self._greeting is None]
        for place, block in enumerate(wanted):
            among = len(wanted) - place
            if not await self._blocks.give_again(block, lacks[block.name], among=among):
                waiting.append(block)
        return waiting

    async def _pause(self) -> None:
        if self._watch.done():
            self._watch.result()
        await asyncio.sleep(_POLL_S)


def _output(name: str, line: str) -> SystemOutput:
    """Return the output of a line that a worker wrote.

    Raises:
        DatasetError: it is no output.
    """
    where = f"output of {name!r}, from a worker"
    return validated_output(where, loads(line.encode(), where=where, error=DatasetError)).output()
