"""A run that workers asked goes on without them: nothing of it is asked twice or spent unseen."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

from ragate.pipeline.run.ready_system import (
    OpenedSystem,
    OpensSystem,
    SystemRequest,
    open_here,
)
from ragate.pipeline.workers.plan_budget import note_queued
from ragate.pipeline.workers.submit import plan_name, plan_of, spent_calls
from ragate.queue.engine import STALLED_S, alone_at, open_queue
from ragate.queue.submission import Submission
from ragate.runtime.resources import Opened

_PAUSE_S = 0.2


def opens_without_workers(find_queue: Callable[[], str]) -> OpensSystem:
    """Return what opens the system under test here; what workers have of the run is taken back.

    Args:
        find_queue: Returns the queue's connection string, or raises; called where workers were
            asked.
    """
    return partial(_open, find_queue)


@asynccontextmanager
async def _open(
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
