"""Procrastinate's worker, made to live through outages of its database and loops that block."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from procrastinate import JobContext, RetryStrategy
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from procrastinate.worker import Worker

from ragate.contrib.workers.block import SampleBlock
from ragate.contrib.workers.queue import HEARTBEAT_S, PATIENCE_S, STALLED_S, TASK, Queue, is_outage
from ragate.errors import DatabaseError

if TYPE_CHECKING:
    import psycopg

_CONNECT_S = 4  # so that a database which is back hears of the worker before others give it up
_GRACE_S = 5.0  # for blocks under way when the worker is told to end
_POLL_S = 0.5
_AGAIN_S = 1
_SWEEP_S = 5.0  # between looks for blocks of workers that are gone
_FORGOTTEN_S = 2 * PATIENCE_S  # until a worker's row is deleted: no living one is away for so long

Serve = Callable[[SampleBlock, int], Awaitable[None]]


class EngineWorker:
    """Takes blocks until it is told to stop, several at a time.

    Args:
        queue_name: The queue that it listens to.
        serve: Does a block, which was tried so often before; an exception gives it to another.
        jobs: The most blocks at once.
    """

    def __init__(self, queue: Queue, queue_name: str, serve: Serve, *, jobs: int) -> None:
        self._queue = queue
        self._name = queue_name
        self._serve = serve
        self._most = jobs
        self._stop = asyncio.Event()
        self._quiet_since = time.monotonic()
        self.done = 0
        self._jobs = queue.app.job_manager = _PatientJobs(queue)
        retry = RetryStrategy(wait=_AGAIN_S)
        queue.app.task(name=TASK, retry=retry, pass_context=True)(self._block)

    @property
    def idle_s(self) -> float:
        """Return the seconds since the last block ended, 0 while one is under way."""
        return 0.0 if self._jobs.under_way else time.monotonic() - self._quiet_since

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
            if not (self._jobs.fetched or error is None or is_outage(error)):
                raise DatabaseError(
                    f"the queue cannot be used: {error.__cause__ or error}",
                    remedy="see what the server says of its tables",
                ) from error
            # A server that took another's place may not know this worker: it registers anew.
            await self._queue.rows("SELECT 1")
            await asyncio.sleep(_AGAIN_S)

    async def _run_once(self) -> BaseException | None:
        """Run the engine until it ends or is told to; return what ended it."""
        worker = Worker(
            self._queue.app,
            queues=[self._name],
            concurrency=self._most,
            fetch_job_polling_interval=_POLL_S,
            abort_job_polling_interval=_POLL_S,
            shutdown_graceful_timeout=_GRACE_S,
            update_heartbeat_interval=_FORGOTTEN_S,  # ours beats, from a thread
            stalled_worker_timeout=_FORGOTTEN_S,
            delete_jobs="successful",
            install_signal_handlers=False,
            listen_notify=False,  # its listener ends with the first connection that breaks
        )
        with Heartbeat(self._queue, lambda: worker.worker_id) as heartbeat:
            engine = asyncio.create_task(worker.run())  # type: ignore[no-untyped-call]
            # Interrupted twice, nobody waits for it, and its queue is closed below it.
            engine.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            stop = asyncio.create_task(self._stop.wait())
            sweep = asyncio.create_task(self._sweep(heartbeat))
            try:
                await asyncio.wait([engine, stop, sweep], return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not engine.done():  # this process is to end, or the database is gone for good
                    self._queue.hurry()
                for each in (stop, sweep, engine):
                    each.cancel()
                await asyncio.wait([engine, sweep])
        ended = [each.exception() for each in (sweep, engine) if not each.cancelled()]
        return next((error for error in ended if error is not None), None)

    async def _sweep(self, heartbeat: Heartbeat) -> None:
        """Give blocks of workers that are gone to others, now and then."""
        look = partial(
            self._jobs.get_stalled_jobs, queue=self._name, seconds_since_heartbeat=STALLED_S
        )
        while True:
            await asyncio.sleep(_SWEEP_S)
            stalled = await self._queue.patient(look)
            # Those that were cut off with this worker get as long as it takes to be heard.
            up = heartbeat.steady_s >= STALLED_S
            gone = [job for job in stalled if up or job.worker_id is None]
            count = sum([await self._jobs.hand_on(job) for job in gone])
            if count:
                blocks = f"{count} block{'s' * (count != 1)}"
                self._queue.say(f"given to others, of workers that are gone: {blocks}")

    async def _block(self, context: JobContext, /, **arguments: Any) -> None:
        self._jobs.under_way.add(context.job.id)
        try:
            await self._serve(SampleBlock.model_validate(arguments), context.job.attempts)
            self.done += 1
        finally:
            self._quiet_since = time.monotonic()


class _PatientJobs(JobManager):
    """Procrastinate's jobs, for a worker that lives through an outage of its database.

    Attributes:
        under_way: Ids of the jobs that this worker is at, or whose end it has still to tell.
        fetched: It was answered since it registered.
    """

    def __init__(self, queue: Queue) -> None:
        super().__init__(queue.app.connector)
        self._queue = queue
        self._unsure = False
        self.under_way: set[int | None] = set()
        self.fetched = False

    async def register_worker(self) -> int:
        """Return the number of this worker, which is new."""
        self.fetched = False
        return await super().register_worker()

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Return a job; None while the database is gone, or where none waits."""
        try:
            if self._unsure:  # the answer to an earlier fetch was lost, and a job with it
                held = await self.list_jobs_async(status="doing", worker_id=worker_id)
                for lost in held:
                    if lost.id not in self.under_way:
                        await super().retry_job(lost)
                self._unsure = False
            job = await super().fetch_job(queues, worker_id)
        except ConnectorException as error:
            if not is_outage(error):
                raise
            self._unsure = True
            return None
        self.fetched = True
        return job

    async def hand_on(self, job: Job) -> bool:
        """Give a job to another worker; False where somebody did, or the database is gone."""
        try:
            await super().retry_job(job)
        except ConnectorException:
            return False
        return True

    async def finish_job(self, job: Job, *arguments: Any, **options: Any) -> None:
        """Note a job's end, when the database is there."""
        await self._persist(job, partial(super().finish_job, job, *arguments, **options))

    async def retry_job(self, job: Job, *arguments: Any, **options: Any) -> None:
        """Give a job back, when the database is there."""
        await self._persist(job, partial(super().retry_job, job, *arguments, **options))

    async def _persist(self, job: Job, call: Callable[[], Awaitable[None]]) -> None:
        # What is not told here is seen by others: a job that stays behind is handed on.
        with suppress(ConnectorException, DatabaseError):
            await self._queue.patient(call)
        self.under_way.discard(job.id)


class Heartbeat:
    """Tells the queue that a worker lives, for as long as it is entered.

    It beats from a thread and with a connection of its own: also where code under test holds the
    event loop, or the pool waits for a connection.

    Args:
        worker_id: Returns the number under which the worker is registered, None for none yet.
    """

    def __init__(self, queue: Queue, worker_id: Callable[[], int | None]) -> None:
        self._queue = queue
        self._worker_id = worker_id
        self._first = self._last = 0.0
        self._connection: psycopg.Connection[Any] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="ragate-heartbeat", daemon=True)

    @property
    def steady_s(self) -> float:
        """Return for how many seconds every beat has come through in time: the database was up."""
        return 0.0 if self._is_late() else self._last - self._first

    def _is_late(self) -> bool:
        return time.monotonic() - self._last > 2 * HEARTBEAT_S + 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._ended.set()  # nobody waits for a database that is gone

    def _beat(self) -> None:
        import psycopg

        while not self._ended.wait(HEARTBEAT_S):
            worker_id = self._worker_id()
            if worker_id is None:
                continue
            try:
                self._send(worker_id)
            except psycopg.Error:  # it is tried again, and whoever asks the queue tells of it
                self._last = 0.0
                self._close()
        self._close()

    def _send(self, worker_id: int) -> None:
        import psycopg

        if self._connection is None:
            self._connection = psycopg.connect(
                self._queue.url,
                autocommit=True,
                **{**self._queue.parameters, "connect_timeout": _CONNECT_S},
            )
        self._connection.execute("SELECT procrastinate_update_heartbeat_v1(%s)", (worker_id,))
        if self._is_late():
            self._first = time.monotonic()
        self._last = time.monotonic()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
