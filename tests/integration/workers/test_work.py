"""Workers that cannot do what is asked, or whose queue goes away."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from ragate.errors import DatabaseError, UsageError
from ragate.pipeline.workers import submit
from ragate.queue.engine import Queue, open_queue
from ragate.queue.submission import Submission, delete_plan
from tests.integration.workers.crew import Crew, until

pytestmark = pytest.mark.integration
MANY = 12  # questions of the project


async def ended(task: asyncio.Task[object]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def test_a_worker_with_another_golden_set_gives_the_block_to_a_better_one(crew: Crew) -> None:
    many, edited, right = (crew.clone(name) for name in ("many", "edited", "right"))
    lines = (edited / "golden.jsonl").read_text().splitlines()
    (edited / "golden.jsonl").write_text("\n".join(lines[:-1]) + "\n")

    async def go() -> None:
        run = asyncio.create_task(crew.checked(many))
        with pytest.raises(UsageError, match=r"another work tree.*golden\.jsonl"):
            await crew.worker(edited)
        await crew.until_said("given back: block 0")
        worker = asyncio.create_task(crew.worker(right))
        report = await run
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())


def test_a_worker_of_another_version_is_never_given_a_block(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, old = crew.clone("many"), crew.clone("old")
    monkeypatch.setattr(submit, "HINT_S", 0.5)
    monkeypatch.setattr(submit, "LOOK_S", 0.2)

    async def go() -> None:
        with monkeypatch.context() as other:
            other.setattr("ragate.pipeline.shards.shard_plan.__version__", "0.0.1")
            worker = asyncio.create_task(crew.worker(old, idle_s=2))
            await crew.until_said("listens to queue")
        run = asyncio.create_task(crew.checked(many))
        await crew.until_said("no worker takes a block of queue")
        assert (await worker).blocks == 0
        await ended(run)

    asyncio.run(go())
    (hint,) = [line for line in crew.said if "no worker takes" in line]
    assert "start `ragate worker` in a checkout of commit" in hint


def test_where_nobody_comes_the_run_ends(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "ALONE_S", 0.5)
    monkeypatch.setattr(submit, "LOOK_S", 0.2)

    with pytest.raises(Exception, match="no worker took a block") as caught:
        asyncio.run(crew.checked(crew.clone("many")))

    assert caught.value.exit_code == 3  # type: ignore[attr-defined]
    assert "--resume" in str(caught.value)


def test_a_run_whose_plan_is_deleted_says_so(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "LOOK_S", 0.2)

    async def go() -> None:
        with psycopg.connect(crew.url, autocommit=True) as connection:
            connection.execute("DELETE FROM ragate_work.plans")
            lost = asyncio.create_task(crew.checked(crew.clone("many")))
            await until(lambda: connection.execute("SELECT 1 FROM ragate_work.blocks").fetchone())
            connection.execute("DELETE FROM ragate_work.plans")
        with pytest.raises(DatabaseError, match="was deleted"):
            await lost

    asyncio.run(go())


def test_jobs_of_a_deleted_plan_fail_and_the_queue_goes_on(crew: Crew) -> None:
    async def go() -> None:
        worker = asyncio.create_task(crew.worker(crew.clone("right")))
        await crew.until_said("listens to queue")
        name = crew.said[-1].split()[3].rstrip(";")
        async with open_queue(crew.url) as queue:
            gone = Submission(queue, "gone", name, "{}")
            await gone.begin()
            await delete_plan(queue, gone.plan)
            async with queue.pool.connection() as connection:
                await gone.jobs.defer(range(40), connection)
        await crew.until_said("the plan of a run was deleted")
        report = await crew.checked(crew.clone("many"))
        await ended(worker)
        assert report.facts.samples == MANY
        assert sum("was deleted" in line for line in crew.said) == 1

    asyncio.run(go())


def test_a_database_that_comes_back_costs_nothing(crew: Crew) -> None:
    many, right = crew.clone("many"), crew.clone("right")
    crew.project.answer(seconds=0.3)

    async def go() -> None:
        run = asyncio.create_task(crew.checked(many))
        worker = asyncio.create_task(crew.worker(right))
        await until(crew.project.asked)
        with psycopg.connect(crew.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        report = await run
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())
    assert set(crew.project.asked().values()) == {1}


def rows(url: str, table: str) -> int:
    """Return how many rows there are in a table of the queue."""
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path TO ragate_queue")
        ((count,),) = connection.execute(f"SELECT count(*) FROM {table}".encode())
    return int(count)


def test_an_interrupted_run_is_taken_back_and_goes_on_with_what_it_had(crew: Crew) -> None:
    many, right = crew.clone("many"), crew.clone("right")
    crew.project.answer(seconds=0.3)

    async def go() -> None:
        worker = asyncio.create_task(crew.worker(right))
        run = asyncio.create_task(crew.checked(many))
        await until(lambda: outputs(many))
        await ended(run)
        kept = outputs(many)
        await until(lambda: not rows(crew.url, "procrastinate_jobs WHERE status = 'doing'"))
        asked = crew.project.asked()
        await asyncio.sleep(0.5)
        assert crew.project.asked() == asked, "a worker went on with a run that was ended"
        report = await crew.checked(many, resume="latest")
        await ended(worker)
        assert report.facts.samples == MANY
        assert kept > 0

    asyncio.run(go())
    assert sum(crew.project.asked().values()) <= MANY + 4  # what was in flight


def test_what_workers_did_while_nobody_listened_is_not_asked_again(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, right = crew.clone("many"), crew.clone("right")
    crew.project.answer(seconds=0.3)
    others = rows(crew.url, "ragate_work.outputs")

    async def killed(_submission: Submission) -> None:
        return

    async def go() -> None:
        with monkeypatch.context() as kill:
            kill.setattr(Submission, "cancel", killed)
            run = asyncio.create_task(crew.checked(many))
            worker = asyncio.create_task(crew.worker(right))
            await until(crew.project.asked)
            await ended(run)
            await until(lambda: rows(crew.url, "ragate_work.outputs") == others + MANY)
            await ended(worker)
        report = await crew.checked(many, resume="latest")
        assert report.facts.samples == MANY

    asyncio.run(go())
    assert set(crew.project.asked().values()) == {1}


def test_a_judged_run_outlives_a_database_that_is_gone_at_its_end(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, right = crew.clone("many"), crew.clone("right")
    monkeypatch.setattr(submit, "END_S", 0.5)

    async def gone(queue: Queue, _plan: str) -> None:
        await queue.rows("SELECT pg_terminate_backend(pg_backend_pid())")  # at every try

    async def go() -> None:
        worker = asyncio.create_task(crew.worker(right))
        with monkeypatch.context() as end:
            end.setattr(submit, "delete_plan", gone)
            report = await crew.checked(many)
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())
    (run,) = (many / ".ragate" / "runs").iterdir()
    assert (run / "report.json").is_file()
    assert any("warning: the run has all it needs" in line for line in crew.said)


def outputs(root: Path) -> int:
    """Return how many outputs the newest run of a checkout has."""
    files = sorted((root / ".ragate" / "runs").glob("*/outputs.jsonl"))
    return len(files[-1].read_text().splitlines()) - 1 if files else 0
