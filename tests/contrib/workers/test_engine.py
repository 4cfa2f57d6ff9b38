"""A worker whose database is gone, for a while or for good, or whose event loop is held."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import psycopg
import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ragate.contrib.workers import engine, queue
from ragate.contrib.workers.block import SampleBlock
from ragate.contrib.workers.engine import EngineWorker
from ragate.contrib.workers.queue import TASK, Queue, open_queue, schema_name
from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError
from tests.night import by_night
from tests.servers.cut_line import CutLine, cut_line
from tests.servers.queue import fresh_queue

pytestmark = pytest.mark.integration

STALLED_S = 3.0
SAMPLES = [f"s{number}" for number in range(20)]
SIZE = 4
KEEP = """
INSERT INTO results (run, pass, name, block, line) VALUES (%s, 0, %s, %s, 'x')
ON CONFLICT DO NOTHING
"""
KEPT = "SELECT name FROM results WHERE run = %s"
Ask = Callable[[], Awaitable[object]]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is slow: let nobody wait for it as in earnest."""
    for name in ("_GRACE_S", "_POLL_S", "_SWEEP_S", "HEARTBEAT_S"):
        monkeypatch.setattr(engine, name, 0.2)
    monkeypatch.setattr(engine, "STALLED_S", STALLED_S)


@pytest.fixture
def line(url: str) -> Iterator[CutLine]:
    with cut_line(url) as line:
        yield line


async def defer(queue: Queue, name: str, samples: Sequence[str]) -> None:
    """Give blocks of a run and a queue of this name to whoever comes."""
    parts = [samples[at : at + SIZE] for at in range(0, len(samples), SIZE)]
    blocks = [
        SampleBlock(
            run=name,
            name=f"{name} {number}",
            turn=0,
            rebuilds=0,
            samples=tuple(part),
            calls=0,
            usd=0.0,
            until=1e12,
        )
        for number, part in enumerate(parts)
    ]
    jobs = [
        Job(
            queue=name,
            lock=None,
            queueing_lock=block.name,
            task_name=TASK,
            task_kwargs=block.model_dump(mode="json"),
        )
        for block in blocks
    ]
    await queue.app.job_manager.batch_defer_jobs_async(jobs)


class Workers:
    """A run of five blocks, and workers of one process that ask its samples one after another.

    Attributes:
        asked: How often each sample was.
        said: What workers printed.
        unseen: Errors that nobody handled.
    """

    def __init__(self, url: str, *, workers: int, ask: Ask = lambda: asyncio.sleep(0.1)) -> None:
        self.asked: Counter[str] = Counter()
        self.said: list[str] = []
        self.unseen: list[dict[str, Any]] = []
        self.engines: list[EngineWorker] = []
        self._url = url
        self._count = workers
        self._ask = ask

    async def run(self, name: str, meanwhile: Callable[[], Awaitable[None]]) -> None:
        """Have all samples asked, and something happen once one was; return when all has ended."""
        asyncio.get_running_loop().set_exception_handler(lambda _, about: self.unseen.append(about))
        async with AsyncExitStack() as stack:
            submitter = await stack.enter_async_context(open_queue(self._url))
            opening = partial(open_queue, self._url, say=self.said.append)
            queues = [await stack.enter_async_context(opening()) for _ in range(self._count)]
            await defer(submitter, name, SAMPLES)
            self.engines = [self.engine(queue, name) for queue in queues]
            running = [asyncio.create_task(each.run()) for each in self.engines]
            async with asyncio.timeout(240):
                while not self.asked:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
                await meanwhile()
                while len(await submitter.rows(KEPT, name)) < len(SAMPLES):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            for each in self.engines:
                each.stop()
            await asyncio.gather(*running)

    def engine(self, queue: Queue, name: str) -> EngineWorker:
        async def serve(block: SampleBlock, _tries: int) -> None:
            had = {name for (name,) in await queue.rows(KEPT, block.run)}
            for sample in block.samples:
                if sample not in had:
                    self.asked[sample] += 1
                    await self._ask()
                    await queue.rows(KEEP, block.run, sample, block.name)

        return EngineWorker(queue, name, serve, jobs=1)


async def away(line: CutLine, seconds: float, meanwhile: Callable[[], object] = int) -> None:
    await asyncio.to_thread(line.cut)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(meanwhile)
    await asyncio.to_thread(line.restore)


@pytest.mark.parametrize("workers", [pytest.param(1, marks=by_night), 3])
def test_workers_live_through_an_outage_and_nothing_is_asked_twice(
    line: CutLine, url: str, workers: int, caplog: pytest.LogCaptureFixture
) -> None:
    crew = Workers(line.reached(url), workers=workers)

    with caplog.at_level(logging.WARNING):
        asyncio.run(crew.run(f"outage-{workers}", partial(away, line, 2 * STALLED_S)))

    assert set(crew.asked.values()) == {1}
    assert not any("given to others" in line for line in crew.said)
    assert (crew.unseen, caplog.records) == ([], [])


def test_nobody_is_gone_before_the_database_has_been_there_for_so_long(
    line: CutLine, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, seen = JobManager.get_stalled_jobs, set[int | None]()

    async def looked(self: JobManager, **which: Any) -> list[Job]:
        stalled = list(await look(self, **which))
        seen.update(job.id for job in stalled)
        return stalled

    monkeypatch.setattr(JobManager, "get_stalled_jobs", looked)
    monkeypatch.setattr(engine, "STALLED_S", 2 * STALLED_S)
    path = f"-c search_path={schema_name()}"
    with psycopg.connect(url, autocommit=True, options=path) as there:

        def row(query: str, *values: object) -> Any:
            return (there.execute(query.encode(), values).fetchone() or (None,))[0]

        async def another_has_a_block() -> None:
            """Hold a block for an outage, and be heard of once somebody else saw it late."""
            number = row("SELECT procrastinate_register_worker_v1()")
            fetch = "SELECT id FROM procrastinate_fetch_job_v2(ARRAY['slow']::varchar[], %s)"
            while (job := row(fetch, number)) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            late = "now() - interval '1 h'"
            beat = "UPDATE procrastinate_workers SET last_heartbeat = {} WHERE id = %s"
            await away(line, 0.5, lambda: there.execute(beat.format(late).encode(), (number,)))
            while job not in seen:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.3)
            there.execute(beat.format("now()").encode(), (number,))
            holder = "SELECT worker_id FROM procrastinate_jobs WHERE id = %s AND status = 'doing'"
            assert row(holder, job) == number
            there.execute(beat.format(late).encode(), (number,))

        crew = Workers(line.reached(url), workers=1)
        asyncio.run(crew.run("slow", another_has_a_block))

    assert "given to others, of workers that are gone: 1 block" in crew.said


def test_a_worker_that_the_server_does_not_know_any_more_registers_anew(
    line: CutLine, url: str
) -> None:
    def forget() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DELETE FROM {schema_name()}.procrastinate_workers".encode())

    crew = Workers(line.reached(url), workers=1)

    asyncio.run(crew.run("forgotten", partial(away, line, 0.5, forget)))

    assert max(crew.asked.values()) <= 2


def test_a_job_whose_fetching_was_not_answered_is_done_by_another_fetch(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, lost = JobManager.fetch_job, list[Job]()

    async def cut_off(self: JobManager, *arguments: Any) -> Job | None:
        job = await fetch(self, *arguments)
        if job is not None and not lost:
            lost.append(job)
            raise ConnectorException from psycopg.OperationalError("the answer never came")
        return job

    monkeypatch.setattr(JobManager, "fetch_job", cut_off)
    crew = Workers(url, workers=1, ask=partial(asyncio.sleep, 0))

    asyncio.run(crew.run("cut off", partial(asyncio.sleep, 0)))

    assert set(crew.asked.values()) == {1}
    assert len(lost) == 1


def test_a_worker_whose_event_loop_is_held_is_not_given_up(url: str) -> None:
    holding = Workers(url, workers=1, ask=partial(asyncio.to_thread, int))
    looking = Workers(url, workers=1)

    async def hold() -> None:
        looks = asyncio.create_task(asyncio.to_thread(asyncio.run, look()))
        await asyncio.sleep(0.1)
        time.sleep(3 * STALLED_S)  # noqa: ASYNC251 - as a RAG does that computes
        await looks

    async def look() -> None:
        async with open_queue(url, say=looking.said.append) as queue:
            other = looking.engine(queue, "held")
            running = asyncio.create_task(other.run())
            await asyncio.sleep(3 * STALLED_S)
            other.stop()
            await running

    asyncio.run(holding.run("held", hold))

    assert looking.said == []
    assert not looking.asked.keys() & set(SAMPLES[:4])  # the block that is held


def close(server: str, name: object) -> None:
    """Let nobody into a database any more."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        connection.execute(ended, (name,))


def test_a_worker_with_a_block_gives_up_once_and_says_why(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "CONNECT_S", 1)
    unseen: list[dict[str, Any]] = []

    async def go(url: str) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: unseen.append(about))
        async with open_queue(url, patience_s=2) as there:
            await defer(there, "gone", ["a"])

            async def serve(block: SampleBlock, _tries: int) -> None:
                close(database.conninfo(), conninfo_to_dict(url)["dbname"])
                await there.rows(KEEP, block.run, "a", block.name)

            async with asyncio.timeout(240):
                await EngineWorker(there, "gone", serve, jobs=1).run()

    with fresh_queue(database.conninfo()) as url, pytest.raises(DatabaseError) as caught:
        asyncio.run(go(url))

    assert "seconds" in caught.value.message
    assert "Database error" not in caught.value.message
    assert unseen == []


def test_a_worker_that_is_interrupted_twice_ends_without_a_traceback(url: str) -> None:
    gc.freeze()  # what other tests left is not collected here
    unseen: list[dict[str, Any]] = []

    async def go() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: unseen.append(about))
        asked = asyncio.Event()

        async def serve(_block: SampleBlock, _tries: int) -> None:
            asked.set()
            await asyncio.sleep(1)

        async with open_queue(url) as there:
            await defer(there, "twice", ["a"])
            running = asyncio.create_task(EngineWorker(there, "twice", serve, jobs=1).run())
            await asyncio.wait_for(asked.wait(), 60)
            while not running.done():
                running.cancel()
                await asyncio.sleep(0)
        left = [each for each in asyncio.all_tasks() if "Worker" in repr(each.get_coro())]
        assert left
        await asyncio.wait(left)
        del left, running
        gc.collect()

    asyncio.run(go())

    assert unseen == []


def test_two_processes_that_make_the_tables_at_once_make_them_once(
    database: PostgresDatabase,
) -> None:
    async def go(url: str) -> None:
        await asyncio.gather(*(asyncio.to_thread(queue.make_tables, url) for _ in range(6)))

    with fresh_queue(database.conninfo()) as url:
        asyncio.run(go(url))
        asyncio.run(go(url))  # and those that are there are left as they are


def test_a_role_that_may_make_no_tables_is_told_what_it_needs(database: PostgresDatabase) -> None:
    with fresh_queue(database.conninfo()) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP ROLE IF EXISTS ragate_test_no_rights")
            connection.execute("CREATE ROLE ragate_test_no_rights LOGIN PASSWORD 'x'")
        try:
            other = make_conninfo(url, user="ragate_test_no_rights", password="x")
            with pytest.raises(DatabaseError, match="may not make or use the schema") as caught:
                queue.make_tables(other)
            assert "GRANT CREATE ON DATABASE" in caught.value.remedy
        finally:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("DROP ROLE ragate_test_no_rights")
