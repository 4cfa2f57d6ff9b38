"""Procrastinate's worker over the queues of a checkout; it hands blocks to whoever serves them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from ragate.errors import DatabaseError
from ragate.queue.engine import HEARTBEAT_S, STALLED_S, TASK, Queue, is_outage
from ragate.queue.leases import PlanGoneError
from ragate.queue.stalled_jobs import retry_stalled

if TYPE_CHECKING:
    from procrastinate import JobContext
    from procrastinate.retry import BaseRetryStrategy

MOST_ATTEMPTS = 5  # of one block, killed workers included
_GRACE_S = 5.0  # for blocks under way when the worker is told to end
_POLL_S = 0.5  # for new blocks, and for those to be ended: nobody is listened to
_AGAIN_S = 1
_SWEEP_S = 5.0  # between looks for blocks of workers that are gone


class Serve(Protocol):
    """What does a block; an exception gives it to another worker."""

    def __call__(self, plan: str, block: int, *, final: bool) -> Awaitable[None]: ...


class EngineWorker:
    """Takes blocks until it is told to stop, several at a time.

    Args:
        queue_names: The queues that it listens to.
        jobs: The most blocks at once.
        failed: Sees of which plan a block was not done, and why; what it raises nobody sees.
    """

    def __init__(
        self,
        queue: Queue,
        queue_names: Sequence[str],
        serve: Serve,
        *,
        jobs: int,
        failed: Callable[[str, BaseException], None],
    ) -> None:
        self._queue = queue
        self._names = list(queue_names)
        self._serve = serve
        self._jobs = jobs
        self._failed = failed
        self._stop = asyncio.Event()
        self._under_way = 0
        self._quiet_since = time.monotonic()
        self.done = 0
        queue.app.task(name=TASK, retry=_strategy(), pass_context=True)(self._block)

    @property
    def idle_s(self) -> float:
        """Return the seconds since the last block ended, 0 while one is under way."""
        return 0.0 if self._under_way else time.monotonic() - self._quiet_since

    def stop(self) -> None:
        """Let `run` end: no block is begun, and those under way get a moment."""
        self._stop.set()

    async def run(self) -> None:
        """Take blocks until `stop`; where the database is gone, wait for it.

        Raises:
            DatabaseError: it did not come back, or the queue cannot be used.
        """
        while not self._stop.is_set():
            error = await self._run_once()
            if self._stop.is_set():
                return
            if isinstance(error, DatabaseError):
                raise error
            if error is not None and not is_outage(error):
                reason = error.__cause__ or error
                raise DatabaseError(
                    f"the queue cannot be used: {reason}",
                    remedy="`ragate db migrate`, and the rights of this role",
                ) from error
            await self._queue.rows("SELECT 1")
            await asyncio.sleep(_AGAIN_S)

    async def _run_once(self) -> BaseException | None:
        """Run the engine until it ends or is told to; return what ended it."""
        engine = asyncio.create_task(
            self._queue.app.run_worker_async(
                queues=self._names,
                concurrency=self._jobs,
                fetch_job_polling_interval=_POLL_S,
                abort_job_polling_interval=_POLL_S,
                shutdown_graceful_timeout=_GRACE_S,
                update_heartbeat_interval=HEARTBEAT_S,
                stalled_worker_timeout=STALLED_S,
                delete_jobs="successful",
                install_signal_handlers=False,
                listen_notify=False,  # every role of a database may send notifications
            )
        )
        stop = asyncio.create_task(self._stop.wait())
        sweep = asyncio.create_task(self._sweep())
        try:
            await asyncio.wait([engine, stop, sweep], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (stop, sweep, engine):
                each.cancel()
            await asyncio.wait([engine, sweep])
        ended = [each.exception() for each in (sweep, engine) if not each.cancelled()]
        return next((error for error in ended if error is not None), None)

    async def _sweep(self) -> None:
        """Give blocks of workers that are gone to others, now and then; whoever submits may be."""
        while True:
            await asyncio.sleep(_SWEEP_S)
            for name in self._names:
                await retry_stalled(self._queue, name)

    async def _block(self, context: JobContext, plan: str, block: int) -> None:
        self._under_way += 1
        try:
            await self._serve(plan, block, final=context.job.attempts + 1 >= MOST_ATTEMPTS)
            self.done += 1
        except Exception as error:
            self._failed(plan, error)
            raise
        finally:
            self._under_way -= 1
            self._quiet_since = time.monotonic()


def _strategy() -> BaseRetryStrategy:
    from procrastinate.jobs import Job
    from procrastinate.retry import BaseRetryStrategy, RetryDecision

    class GivenToAnother(BaseRetryStrategy):
        """A block goes to another worker, unless its plan is gone or many had it."""

        def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
            interrupted = isinstance(exception, asyncio.CancelledError)  # the worker was to end
            if isinstance(exception, PlanGoneError):
                return None
            if job.attempts + 1 >= MOST_ATTEMPTS and not interrupted:
                return None
            return RetryDecision(retry_in={"seconds": _AGAIN_S})

    return GivenToAnother()
