"""A run that goes to workers: its plan is put into the queue, and taken back where the run ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

from ragate.core.hashing import digest
from ragate.errors import RagateError, UsageError
from ragate.pipeline.run.opened_system import OpenedSystem, OpensSystem, SystemRequest
from ragate.pipeline.shards.shard_plan import ShardPlan
from ragate.pipeline.workers.plan_budget import close_budget, note_queued, shared
from ragate.pipeline.workers.plan_head import dated_selection, frozen, head_of, queue_name
from ragate.pipeline.workers.watch import Watch
from ragate.pipeline.workers.workers_system import WorkersSystem
from ragate.queue.engine import PRIORITY_CHECK, PRIORITY_RECORDING, Queue, open_queue
from ragate.queue.plan_lock import alone_at
from ragate.queue.serving_role import VARIABLE, serving_role
from ragate.queue.submission import Submission, delete_plan
from ragate.recorder.open_system import is_recorded_system
from ragate.runtime.resources import Opened
from ragate.stores.local import LocalStore
from ragate.stores.spent_calls import SpentCalls

CANCEL_S = 20.0
END_S = 10.0  # for a database that is gone when nothing of it is needed any more


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
            remedy="leave out --workers, or collect shards: docs/shard-tools.md",
        )
    return frozen(config, request.operations, dated_selection(request.selection))
