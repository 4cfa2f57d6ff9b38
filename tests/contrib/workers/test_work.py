"""Workers that cannot do what is asked, or whose queue goes away."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ragate.contrib.workers import engine, submit, work
from ragate.contrib.workers.block import Greeting, SampleBlock, checkout
from ragate.contrib.workers.queue import open_queue, schema_name
from ragate.contrib.workers.submit import GivenBlocks
from ragate.contrib.workers.work import BlockServer
from ragate.errors import RagateError, SystemMismatchError, UsageError
from ragate.protocols import System
from tests.contrib.workers.crew import Crew, until

pytestmark = pytest.mark.integration
MANY = 12  # questions of the project


async def ended(task: asyncio.Task[object]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def rows(url: str, table: str) -> int:
    """Return how many rows there are in a table of the queue."""
    there = make_conninfo(url, options=f"-c search_path={schema_name()}")
    with psycopg.connect(there) as connection:
        ((count,),) = connection.execute(f"SELECT count(*) FROM {table}".encode())
    return int(count)


def outputs(root: Path) -> int:
    """Return how many outputs the newest run of a checkout has."""
    files = sorted((root / ".ragate" / "runs").glob("*/outputs.jsonl"))
    return len(files[-1].read_text().splitlines()) - 1 if files else 0


@pytest.mark.parametrize("what", ["another version", "another golden set"])
def test_a_worker_with_something_else_is_never_given_a_block(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    many, other = crew.clone("many"), crew.clone("other")
    monkeypatch.setattr(submit, "HINT_S", 0.5)
    monkeypatch.setattr(submit, "LOOK_S", 0.2)
    if what == "another golden set":
        lines = (other / "golden.jsonl").read_text().splitlines()
        (other / "golden.jsonl").write_text("\n".join(lines[:-1]) + "\n")

    async def go() -> None:
        with monkeypatch.context() as changed:
            if what == "another version":
                changed.setattr("ragate.contrib.workers.block.__version__", "0.0.1")
            worker = asyncio.create_task(crew.worker(other, idle_s=2))
            await crew.until_said("listens to ragate-")
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

    with pytest.raises(RagateError, match="no worker took a block") as caught:
        asyncio.run(crew.checked(crew.clone("many")))

    assert caught.value.exit_code == 3
    assert "--resume" in str(caught.value)


def test_a_worker_whose_checkout_changes_gives_its_block_to_a_better_one(crew: Crew) -> None:
    many, edited, right = (crew.clone(name) for name in ("many", "edited", "right"))

    async def go() -> None:
        unfit = asyncio.create_task(crew.worker(edited))
        await crew.until_said("listens to ragate-")
        (edited / "slow_rag_of_a_test.py").write_text("def answer(query): return 'new'\n")
        run = asyncio.create_task(crew.checked(many))
        with pytest.raises(UsageError, match="the checkout has changed"):
            await unfit
        await crew.until_said("given back: on a worker: the checkout has changed")
        worker = asyncio.create_task(crew.worker(right))
        report = await run
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())


def test_a_worker_with_another_system_than_the_first_ends(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew.project.answer(seconds=1.0)
    greeted: list[System] = []

    async def greeting(system: System) -> Greeting:
        greeted.append(system)
        info = system.info
        if len(greeted) > 1:
            info = info.amended(fingerprint="x", parts={"corpus": "2"})
        return Greeting(system=info)

    monkeypatch.setattr(work, "greeting_of", greeting)

    async def go() -> None:
        clones = [crew.clone("one"), crew.clone("two")]
        workers = [asyncio.create_task(crew.worker(each, idle_s=60)) for each in clones]
        await until(lambda: sum("listens to ragate-" in line for line in crew.said) == 2)
        report = await crew.checked(crew.clone("many"))
        assert report.facts.samples == MANY
        for each in workers:
            each.cancel()
        found = await asyncio.gather(*workers, return_exceptions=True)
        (error,) = [each for each in found if isinstance(each, SystemMismatchError)]
        assert "another than the first worker's (corpus)" in str(error)

    asyncio.run(go())
    assert set(crew.project.asked().values()) == {1}


def test_a_block_that_nobody_can_do_ends_the_run_with_its_error(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_AGAIN_S", 0)
    monkeypatch.setattr(submit, "LOOK_S", 0.2)

    async def broken(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("this machine is broken")

    monkeypatch.setattr(work, "run_pass", broken)

    async def go() -> None:
        worker = asyncio.create_task(crew.worker(crew.clone("right")))
        with pytest.raises(RagateError, match="on a worker: RuntimeError: this machine is broken"):
            await crew.checked(crew.clone("many"))
        await ended(worker)

    asyncio.run(go())


def test_of_a_block_that_failed_to_the_last_its_error_is_kept(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, operations = crew.machine(crew.clone("right"))
    here = checkout(config, operations)
    until = time.time() + 600
    block = SampleBlock(
        run="r", name="b", turn=0, rebuilds=0, samples=("q0000",), calls=0, usd=0, until=until
    )

    async def broken(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("this machine is broken")

    monkeypatch.setattr(work, "run_pass", broken)

    async def go() -> list[tuple[object, ...]]:
        async with open_queue(crew.url) as queue:
            server = BlockServer(config, operations, here, queue, slots=1)
            with pytest.raises(RuntimeError):
                await server.serve(block, work.MOST_TRIES - 1)
            await server.serve(block, work.MOST_TRIES)
            await server.close()
            return await queue.rows("SELECT line FROM results WHERE run = 'r' AND block = 'b'")

    system, trouble = asyncio.run(go())
    assert "this machine is broken" in str(trouble)
    assert "began a block" not in f"{system}{trouble}"


def test_who_closes_a_server_waits_for_all_that_it_opened(crew: Crew) -> None:
    crew.project.answer(seconds=0.0)
    config, operations = crew.machine(crew.clone("right"))
    here = checkout(config, operations)
    until = time.time() + 600
    blocks = [
        SampleBlock(
            run=run, name=run, turn=0, rebuilds=0, samples=("q0000",), calls=1, usd=1, until=until
        )
        for run in ("first", "second")
    ]

    async def go() -> None:
        async with open_queue(crew.url) as queue:
            server = BlockServer(config, operations, here, queue, slots=1)
            await server.serve(blocks[0], 0)
            others = asyncio.all_tasks()
            serving = asyncio.create_task(server.serve(blocks[1], 0))
            while not asyncio.all_tasks() - others - {serving}:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0)
            serving.cancel()
            closing = asyncio.create_task(server.close())
            for _ in range(3):
                await asyncio.sleep(0)
                closing.cancel()
            await closing
            names = [str(task.get_coro()) for task in asyncio.all_tasks()]
            assert not [name for name in names if "BlockServer." in name]

    asyncio.run(go())


def test_blocks_whose_jobs_somebody_deleted_are_given_again(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submit, "LOOK_S", 0.2)
    many, right = crew.clone("many"), crew.clone("right")
    crew.project.answer(seconds=0.5)

    async def go() -> None:
        run = asyncio.create_task(crew.checked(many))
        worker = asyncio.create_task(crew.worker(right))
        await until(crew.project.asked)
        there = make_conninfo(crew.url, options=f"-c search_path={schema_name()}")
        with psycopg.connect(there, autocommit=True) as connection:
            connection.execute("DELETE FROM procrastinate_jobs WHERE status = 'todo'")
        report = await run
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())
    assert set(crew.project.asked().values()) == {1}


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
    others = rows(crew.url, "results WHERE pass >= 0")

    async def killed(_blocks: GivenBlocks) -> None:
        return

    async def go() -> None:
        with monkeypatch.context() as kill:
            kill.setattr(GivenBlocks, "take_back", killed)
            run = asyncio.create_task(crew.checked(many))
            worker = asyncio.create_task(crew.worker(right))
            await until(crew.project.asked)
            await ended(run)
            await until(lambda: rows(crew.url, "results WHERE pass >= 0") == others + MANY)
            await ended(worker)
        report = await crew.checked(many, resume="latest")
        assert report.facts.samples == MANY

    asyncio.run(go())
    assert set(crew.project.asked().values()) == {1}
    assert rows(crew.url, "results WHERE pass >= 0") == others


def test_what_workers_still_do_of_a_killed_run_is_waited_for(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, right = crew.clone("many"), crew.clone("right")
    crew.project.answer(seconds=0.5)

    async def killed(_blocks: GivenBlocks) -> None:
        return

    async def go() -> None:
        worker = asyncio.create_task(crew.worker(right))
        with monkeypatch.context() as kill:
            kill.setattr(GivenBlocks, "take_back", killed)
            run = asyncio.create_task(crew.checked(many))
            await until(crew.project.asked)
            await ended(run)
        report = await crew.checked(many, resume="latest")
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())
    assert set(crew.project.asked().values()) == {1}


def test_a_killed_run_that_goes_on_without_workers_takes_back_what_they_have(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, right = crew.clone("many"), crew.clone("right")
    crew.project.answer(seconds=50)  # a worker is at its first questions till they are taken back
    _, operations = crew.machine(many)
    alone = submit.opens(replace(operations, environment={"RAGATE_QUEUE_URL": crew.url}), False)
    assert alone is not None

    async def killed(_blocks: GivenBlocks) -> None:
        return

    async def go() -> None:
        worker = asyncio.create_task(crew.worker(right))
        with monkeypatch.context() as kill:
            kill.setattr(GivenBlocks, "take_back", killed)
            run = asyncio.create_task(crew.checked(many))
            await until(crew.project.asked)
            await ended(run)
        begun = crew.project.asked().total()
        going_on = asyncio.create_task(crew.checked(many, resume="latest", opens=alone))
        await until(lambda: going_on.done() or crew.project.asked().total() > begun)
        crew.project.answer(seconds=0.01)
        report = await going_on
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())
    assert sum(crew.project.asked().values()) <= MANY + 2 * 4  # what it had begun meanwhile


def test_a_block_whose_run_has_no_time_left_is_passed_over(crew: Crew) -> None:
    config, operations = crew.machine(crew.clone("late"))
    here = checkout(config, operations)
    block = SampleBlock(
        run="r", name="b", turn=0, rebuilds=0, samples=("q0000",), calls=0, usd=0, until=1
    )

    async def go() -> None:
        async with open_queue(crew.url) as queue:
            server = BlockServer(config, operations, here, queue, slots=1)
            await server.serve(block, 0)
            await server.close()

    asyncio.run(go())
    assert not crew.project.asked()


def test_a_judged_run_outlives_a_database_that_is_gone_at_its_end(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, right = crew.clone("many"), crew.clone("right")
    monkeypatch.setattr(submit, "END_S", 0.5)
    monkeypatch.setattr(submit, "_ABORT", "SELECT pg_terminate_backend(pg_backend_pid()), %s")

    async def go() -> None:
        worker = asyncio.create_task(crew.worker(right))
        report = await crew.checked(many)
        await ended(worker)
        assert report.facts.samples == MANY

    asyncio.run(go())
    (run,) = (many / ".ragate" / "runs").iterdir()
    assert (run / "report.json").is_file()
    assert any("warning: the run has all it needs" in line for line in crew.said)
