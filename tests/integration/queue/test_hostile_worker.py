"""Somebody who has a worker's own credentials, and wants a verdict that is not earned."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragate.database import PostgresDatabase
from ragate.database.engine_sql import MOST_RETRIES
from ragate.database.migrations import migrate
from ragate.errors import DatabaseError, RagateError
from ragate.models import SystemInfo
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.workers.plan_head import Greeting, frozen, queue_name
from ragate.pipeline.workers.submit import opens_on_workers
from ragate.queue import engine, submission
from ragate.queue.engine import TASK, WORKER_PATH, open_queue
from ragate.queue.submission import Submission
from ragate.queue.tables import MOST_BYTES, MOST_LINE
from ragate.stores.postgres.connect import MIGRATIONS as RUNS
from tests.integration.queue.machines import Machines
from tests.servers.openai_server import openai_server
from tests.servers.queue_roles import MAIN, PULL, SUBMITTER, logged_in

pytestmark = pytest.mark.integration

Row = tuple[Any, ...]
SYSTEM_GREETING = Greeting(system=SystemInfo(use="pgvector")).model_dump_json()
DRAW = "SELECT * FROM ragate_trust.draw(%s::text, 'm', 1, %s, 0, %s, 0, NULL)"
FORBIDDEN = (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedFunction)


class Server:
    """A connection with a role, and what that role says."""

    def __init__(self, queue: str, role: str = "", *, path: str = "") -> None:
        url = logged_in(queue, role) if role else queue
        options = f"-c search_path={path}" if path else ""
        self.connection = psycopg.connect(url, autocommit=True, options=options)

    def rows(self, query: str, *values: object) -> list[Row]:
        cursor = self.connection.execute(query.encode(), values)
        return [] if cursor.description is None else cursor.fetchall()

    def one(self, query: str, *values: object) -> Any:
        ((value,),) = self.rows(query, *values)
        return value

    def register(self) -> int:
        return int(self.one("SELECT worker_id FROM procrastinate_register_worker_v1()"))

    def fetch(self, queue_name: str, worker: int) -> int:
        fetched = "SELECT id FROM procrastinate_fetch_job_v2(%s::varchar[], %s::bigint)"
        return int(self.one(fetched, [queue_name], worker))

    def begin(self, plan: str, block: int = 0) -> Any:
        return self.rows("SELECT token FROM ragate_work.begin_block(%s, %s)", plan, block)[0][0]

    def append(self, token: object, samples: list[str], lines: list[str]) -> int:
        return int(self.one("SELECT ragate_work.append(%s, %s, %s)", token, samples, lines))


class Plans:
    """A plan that pull requests' workers may serve, and one of main's; both with two blocks."""

    def __init__(self, admin: Server) -> None:
        name = secrets.token_hex(4)
        self.pull, self.main = f"plan-pull-{name}", f"plan-main-{name}"
        self.pull_queue, self.main_queue = f"queue-pull-{name}", f"queue-main-{name}"
        for plan, queue, role in (
            (self.pull, self.pull_queue, PULL),
            (self.main, self.main_queue, MAIN),
        ):
            insert = (
                "INSERT INTO ragate_work.plans (plan, queue, role, head) VALUES (%s, %s, %s, '')"
            )
            admin.rows(insert, plan, queue, role)
            admin.rows("INSERT INTO ragate_trust.budgets VALUES (%s, 10, 1.0)", plan)
            for block, samples in enumerate((["a", "b"], ["c"])):
                insert = (
                    "INSERT INTO ragate_work.blocks (plan, block, pass, rebuilds, samples) "
                    "VALUES (%s, %s, 0, 0, %s)"
                )
                admin.rows(insert, plan, block, samples)
                job = json.dumps({"plan": plan, "block": block})
                insert = (
                    "INSERT INTO ragate_queue.procrastinate_jobs (queue_name, task_name, args) "
                    "VALUES (%s, %s, %s)"
                )
                admin.rows(insert, queue, TASK, job)


@pytest.fixture
def admin(queue: str) -> Iterator[Server]:
    server = Server(queue, path="ragate_queue")
    with closing(server.connection):
        yield server


@pytest.fixture
def worker(queue: str) -> Iterator[Server]:
    server = Server(queue, PULL, path=WORKER_PATH)
    with closing(server.connection):
        yield server


@pytest.fixture
def plans(admin: Server) -> Plans:
    return Plans(admin)


TABLES = (
    *("ragate_work.plans", "ragate_work.blocks", "ragate_work.outputs"),
    *("ragate_trust.budgets", "ragate_trust.sessions", "ragate_trust.paces"),
    "ragate_trust.dearest",
    *("ragate_queue.procrastinate_jobs", "ragate_queue.procrastinate_workers"),
    *("ragate_queue.procrastinate_events", "ragate_worker.workers"),
)


STATEMENTS = (
    *("SELECT * FROM {}", "INSERT INTO {} DEFAULT VALUES", "DELETE FROM {}", "TRUNCATE {}"),
    *("DROP TABLE {}", "COPY {} TO STDOUT", "ALTER TABLE {} DISABLE TRIGGER ALL"),
    *("CREATE INDEX ON {} ((1))", "DO 'BEGIN LOCK TABLE {} IN ACCESS SHARE MODE; END'"),
    "CREATE RULE mine AS ON INSERT TO {} DO INSTEAD NOTHING",
)


@pytest.mark.parametrize("table", TABLES)
def test_no_table_can_be_read_written_locked_or_dropped(worker: Server, table: str) -> None:
    for statement in STATEMENTS:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.rows(statement.format(table))


@pytest.mark.parametrize("table", ["runs", "sessions", "pieces", "ends"])
def test_verdicts_in_a_run_store_of_the_same_database_are_out_of_reach(
    worker: Server, admin: Server, table: str
) -> None:
    migrate(admin.connection, RUNS)
    for statement in STATEMENTS:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.rows(statement.format(f"ragate_runs.{table}"))
    admin.rows("DROP SCHEMA ragate_runs CASCADE")


def test_every_table_of_ours_is_among_those_that_are_tried(admin: Server) -> None:
    query = (
        "SELECT relnamespace::regnamespace || '.' || relname FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'ragate\\_%%')"
    )
    readable = {f"ragate_{name}.migrations" for name in ("trust", "work", "worker")}
    untold = {"ragate_queue.procrastinate_periodic_defers"}

    assert {
        name
        for (name,) in admin.rows(
            query,
        )
    } == {*TABLES, *readable, *untold}


def test_a_role_of_workers_may_call_these_functions_and_no_others(admin: Server) -> None:
    query = (
        "SELECT proname FROM pg_proc WHERE has_function_privilege(%s, oid, 'EXECUTE') AND "
        "pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'ragate\\_%%')"
    )

    assert sorted(name for (name,) in admin.rows(query, PULL)) == sorted(
        [
            *("begin_block", "append", "end_block", "give_back", "greet"),
            *("draw", "price", "turn", "tell"),
            *("procrastinate_register_worker_v1", "procrastinate_unregister_worker_v1"),
            *("procrastinate_update_heartbeat_v1", "procrastinate_prune_stalled_workers_v1"),
            *("procrastinate_fetch_job_v2", "procrastinate_finish_job_v1"),
            "procrastinate_retry_job_v2",
        ]
    )


def test_each_of_these_functions_looks_for_names_where_no_worker_can_put_any(
    admin: Server,
) -> None:
    query = (
        "SELECT proname, prosecdef, proconfig FROM pg_proc "
        "WHERE has_function_privilege(%s, oid, 'EXECUTE') AND "
        "pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'ragate\\_%%')"
    )

    for name, definer, settings in admin.rows(query, PULL):
        (path,) = [each for each in settings if each.startswith("search_path=")]
        assert definer, name
        assert path.endswith(", pg_temp"), name
        assert set(path.removeprefix("search_path=").split(", ")) <= {
            *("pg_catalog", "ragate_queue", "pg_temp")
        }, name


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE public.mine (a text)",
        "CREATE TEMPORARY TABLE mine (a text)",
        "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1'",
        "CREATE FUNCTION ragate_work.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE SCHEMA mine",
        "CREATE EXTENSION vector",
        "ALTER FUNCTION ragate_work.begin_block(text, integer) SECURITY INVOKER",
        "DROP SCHEMA ragate_trust CASCADE",
        "SELECT pg_advisory_lock(n) FROM generate_series(1, 200000) n",
        "SELECT pg_advisory_lock_shared(n, n) FROM generate_series(1, 200000) n",
        "SELECT pg_try_advisory_xact_lock(n) FROM generate_series(1, 200000) n",
        "SELECT pg_advisory_unlock_all()",
        "SELECT pg_logical_emit_message(false, 'mine', repeat('x', 1000000))",
        "SELECT pg_logical_emit_message(true, 'mine', ''::bytea)",
        "SELECT lo_create(0)",
        "SELECT lo_from_bytea(0, repeat('x', 1000)::bytea)",
        "SELECT lo_import('/etc/passwd')",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY (SELECT 1) TO PROGRAM 'touch /tmp/ragate-hostile'",
        "COPY (SELECT 1) TO '/tmp/ragate-hostile'",
        "CREATE ROLE mine",
        "ALTER ROLE ragate_workers SUPERUSER",
        "GRANT ragate_owner TO ragate_test_pull",
        "SET ROLE ragate_owner",
        "SET ROLE ragate_test_main",
        "SET SESSION AUTHORIZATION ragate_test_submitter",
        "SET session_replication_role = replica",
        "SET track_activities = on",
        "SET temp_file_limit = -1",
        "ALTER SYSTEM SET fsync = off",
        "ALTER DATABASE postgres SET search_path = mine",
        "SELECT ragate_queue.procrastinate_defer_jobs_v1('{}')",
        "SELECT ragate_queue.procrastinate_fetch_job_v2(NULL, NULL)",
        "SELECT ragate_queue.procrastinate_finish_job_v1(1, 'succeeded', true)",
        "SELECT ragate_queue.procrastinate_cancel_job_v1(1, true, true)",
        "SELECT ragate_queue.procrastinate_prune_stalled_workers_v1(0)",
        "SELECT ragate_trust.admit('plan', 'a-token-of-mine')",
        "SELECT ragate_trust.session_of('a-token')",
        "SELECT ragate_worker.own_job(1)",
    ],
)
def test_nothing_else_of_the_server_is_open(worker: Server, statement: str) -> None:
    with pytest.raises(FORBIDDEN):
        worker.rows(statement)


def test_another_roles_sessions_can_neither_be_ended_nor_read(
    queue: str, worker: Server, plans: Plans
) -> None:
    submitter = Server(queue, SUBMITTER)
    with closing(submitter.connection):
        submitter.rows("SELECT 'secret-canary'")
        pid = submitter.one("SELECT pg_backend_pid()")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.rows("SELECT pg_terminate_backend(%s)", pid)
        seen = worker.rows("SELECT query FROM pg_stat_activity WHERE pid = %s", pid)

    assert seen == [("<insufficient privilege>",)]


def test_tokens_of_other_workers_of_the_role_are_nowhere_to_be_read(
    queue: str, worker: Server, admin: Server, plans: Plans
) -> None:
    other = Server(queue, PULL, path=WORKER_PATH)
    with closing(other.connection):
        token = str(other.begin(plans.pull))
        other.append(token, ["a"], ["mine"])
        pid = other.one("SELECT pg_backend_pid()")
        queries = worker.one("SELECT query FROM pg_stat_activity WHERE pid = %s", pid)
        seen = worker.rows("SELECT * FROM pg_stat_activity") + worker.rows(
            "SELECT * FROM procrastinate_jobs"
        )
    kept = admin.rows("SELECT b::text FROM ragate_work.blocks b")
    kept += admin.rows("SELECT s::text FROM ragate_trust.sessions s")

    assert token not in str(seen)
    assert "SELECT" not in queries
    assert token not in str(kept)


def test_only_samples_of_the_tokens_block_are_taken(worker: Server, plans: Plans) -> None:
    token = worker.begin(plans.pull, 0)

    for samples in (["c"], ["a", "c"], ["nobody's"], ["a", "b", "a"]):
        with pytest.raises(psycopg.Error) as caught:
            worker.append(token, samples, ["x"] * len(samples))
        assert caught.value.sqlstate == "RG004"

    assert worker.append(token, ["a"], ["x"]) == 1


def test_what_is_written_once_stays(worker: Server, admin: Server, plans: Plans) -> None:
    token = worker.begin(plans.pull)
    worker.append(token, ["a"], ["first"])

    assert worker.append(token, ["a"], ["second"]) == 0
    assert worker.append(worker.begin(plans.pull), ["a"], ["third"]) == 0

    query = "SELECT line FROM ragate_work.outputs WHERE plan = %s"
    assert admin.rows(query, plans.pull) == [("first",)]


def test_a_plan_of_another_role_is_out_of_reach(worker: Server, plans: Plans) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not serve that plan"):
        worker.begin(plans.main)
    mine = worker.register()
    for queue_names in ([plans.main_queue], [plans.pull_queue, plans.main_queue], None):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not serve that queue"):
            worker.rows("SELECT procrastinate_fetch_job_v2(%s::varchar[], %s)", queue_names, mine)


@pytest.mark.parametrize("token", ["00000000-0000-0000-0000-000000000000", None])
def test_a_token_that_was_not_given_opens_nothing(worker: Server, token: str | None) -> None:
    for call in ("append(%s, '{a}', '{x}')", "end_block(%s)", "give_back(%s, '', true)"):
        with pytest.raises(psycopg.Error) as caught:
            worker.rows(f"SELECT ragate_work.{call}", token)
        assert caught.value.sqlstate == "RG003"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        worker.rows(DRAW, token, 0, 0)


def test_names_of_its_own_stand_in_for_nothing(worker: Server, admin: Server, plans: Plans) -> None:
    admin.rows(f"CREATE SCHEMA IF NOT EXISTS evil AUTHORIZATION {PULL}")
    worker.rows("CREATE TABLE IF NOT EXISTS evil.plans (plan text, role text)")
    worker.rows(
        "CREATE OR REPLACE FUNCTION evil.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1'"
    )
    worker.rows("SET search_path = evil, pg_catalog")
    try:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not serve"):
            worker.begin(plans.main)
        token = worker.begin(plans.pull)
        kept = admin.rows(
            "SELECT token_hash FROM ragate_work.blocks WHERE plan = %s AND block = 0", plans.pull
        )
        assert str(token).encode() not in kept[0][0]
    finally:
        admin.rows("DROP SCHEMA evil CASCADE")


def test_a_job_is_not_done_because_a_worker_says_so(
    worker: Server, admin: Server, plans: Plans
) -> None:
    job = worker.fetch(plans.pull_queue, worker.register())
    worker.rows("SELECT procrastinate_finish_job_v1(%s, 'succeeded', true)", job)

    status = "SELECT status FROM ragate_queue.procrastinate_jobs WHERE id = %s"
    assert admin.one(status, job) == "doing"

    token = worker.begin(plans.pull)
    with pytest.raises(psycopg.Error, match="not done"):
        worker.rows("SELECT ragate_work.end_block(%s)", token)
    worker.append(token, ["a", "b"], ["x", "y"])
    worker.rows("SELECT ragate_work.end_block(%s)", token)
    worker.rows("SELECT procrastinate_finish_job_v1(%s, 'succeeded', true)", job)
    assert admin.rows(status, job) == []


@pytest.mark.parametrize("how", ["failed", "aborted", "given back"])
def test_a_block_that_a_worker_throws_away_is_an_error_of_the_run(
    queue: str, worker: Server, plans: Plans, how: str
) -> None:
    if how == "given back":
        worker.rows("SELECT ragate_work.give_back(%s, NULL, true)", worker.begin(plans.pull))
    else:
        job = worker.fetch(plans.pull_queue, worker.register())
        worker.rows(f"SELECT procrastinate_finish_job_v1(%s, '{how}', true)", job)

    async def troubles() -> list[Any]:
        async with open_queue(logged_in(queue, SUBMITTER)) as opened:
            submission = Submission(opened, plans.pull, plans.pull_queue, "")
            return list(await submission.troubles(lost=True))

    (trouble,) = asyncio.run(troubles())
    assert (trouble.block, trouble.final) == (0, True)


def test_a_job_goes_back_as_it_came(worker: Server, admin: Server, plans: Plans) -> None:
    mine = worker.register()
    job = worker.fetch(plans.pull_queue, mine)
    query = (
        "SELECT procrastinate_retry_job_v2(%s::bigint, 'infinity'::timestamptz, 99, "
        "'another queue'::varchar, 'a lock'::varchar)"
    )
    worker.rows(query, job)

    kept = admin.rows(
        "SELECT queue_name, priority, lock, scheduled_at < now() + interval '11 min' "
        "FROM ragate_queue.procrastinate_jobs WHERE id = %s",
        job,
    )
    assert kept == [(plans.pull_queue, 0, None, True)]


def test_a_job_cannot_go_back_and_forth_for_ever(
    worker: Server, admin: Server, plans: Plans
) -> None:
    job = worker.fetch(plans.pull_queue, worker.register())
    admin.rows(
        "UPDATE ragate_queue.procrastinate_jobs SET attempts = %s WHERE id = %s", MOST_RETRIES, job
    )

    worker.rows("SELECT procrastinate_retry_job_v2(%s::bigint, now(), NULL, NULL, NULL)", job)

    status = "SELECT status FROM ragate_queue.procrastinate_jobs WHERE id = %s"
    assert admin.one(status, job) == "failed"


def test_jobs_and_workers_of_another_role_are_left_alone(
    queue: str, worker: Server, plans: Plans
) -> None:
    main = Server(queue, MAIN, path=WORKER_PATH)
    with closing(main.connection):
        theirs = main.register()
        job = main.fetch(plans.main_queue, theirs)
        for call in (
            "procrastinate_finish_job_v1(%s, 'failed', true)",
            "procrastinate_retry_job_v2(%s::bigint, now(), NULL, NULL, NULL)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no such job"):
                worker.rows(f"SELECT {call}", job)
        for call in (
            "procrastinate_unregister_worker_v1(%s)",
            "procrastinate_update_heartbeat_v1(%s)",
            "procrastinate_fetch_job_v2('{}'::varchar[], %s::bigint)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no such worker"):
                worker.rows(f"SELECT {call}", theirs)
        pruned = worker.rows("SELECT * FROM procrastinate_prune_stalled_workers_v1(-1e9)")
        assert theirs not in {each for (each,) in pruned}
        assert worker.rows("SELECT id FROM procrastinate_jobs WHERE id = %s", job) == []
        assert worker.rows("SELECT id FROM procrastinate_workers WHERE id = %s", theirs) == []
        assert main.rows("SELECT id FROM procrastinate_jobs WHERE id = %s", job) == [(job,)]


def test_a_budget_is_taken_from_by_the_tokens_plan_alone(
    worker: Server, admin: Server, plans: Plans
) -> None:
    tokens = [str(worker.begin(plans.pull, block)) for block in (0, 1, 0, 1)]
    with pytest.raises(psycopg.errors.CheckViolation):
        worker.rows("SELECT ragate_trust.price(%s, 'm', -5)", tokens[0])
    for under_way in range(20):
        for token in tokens:  # of what it was given, it says, nothing was used
            worker.rows(DRAW, token, -5, under_way)
            worker.rows("SELECT ragate_trust.price(%s, 'm', 0)", token)

    given = "SELECT sum(calls), sum(usd) <= 1 FROM ragate_trust.sessions WHERE plan = %s"
    caps = "SELECT max_calls, max_cost_usd FROM ragate_trust.budgets WHERE plan = %s"
    assert admin.rows(given, plans.pull) == [(10, True)]
    assert admin.rows(given, plans.main) == [(None, None)]
    for plan in (plans.pull, plans.main):
        assert admin.rows(caps, plan) == [(10, 1)]


def test_outputs_fill_no_disk(worker: Server, admin: Server, plans: Plans) -> None:
    token = worker.begin(plans.pull)
    with pytest.raises(psycopg.Error, match="not the block's"):
        worker.append(token, ["a"], ["x" * (MOST_LINE + 1)])
    admin.rows(
        "UPDATE ragate_work.plans SET bytes = %s WHERE plan = %s", MOST_BYTES - 2, plans.pull
    )
    with pytest.raises(psycopg.Error, match="more outputs than a plan may have"):
        worker.append(token, ["a"], ["xxx"])

    assert worker.append(token, ["a"], ["x"]) == 1


def test_a_worker_that_holds_a_row_for_ever_stops_nobody_for_ever(
    queue: str, worker: Server, plans: Plans, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "LOCK_S", 1)
    token = worker.begin(plans.pull)
    worker.rows("BEGIN")
    worker.append(token, ["a"], ["x"])

    async def cancel() -> None:
        async with open_queue(logged_in(queue, SUBMITTER), patience_s=0.5) as opened:
            await Submission(opened, plans.pull, plans.pull_queue, "").cancel()

    with pytest.raises(DatabaseError, match="lock timeout"):
        asyncio.run(cancel())


def test_what_a_worker_tells_of_its_spending_is_short(worker: Server, plans: Plans) -> None:
    token = str(worker.begin(plans.pull))
    worker.rows("SELECT ragate_trust.tell(%s, %s)", token, "[" * 2000)

    with pytest.raises(psycopg.errors.CheckViolation):
        worker.rows("SELECT ragate_trust.tell(%s, %s)", token, "x" * 2001)


def test_large_outputs_are_read_a_few_at_a_time(
    queue: str, worker: Server, plans: Plans, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "BYTES_AT_ONCE", 100)
    worker.append(worker.begin(plans.pull), ["a", "b"], ["x" * 60, "y" * 200])

    async def read() -> list[list[str]]:
        async with open_queue(logged_in(queue, SUBMITTER)) as opened:
            submission = Submission(opened, plans.pull, plans.pull_queue, "")
            pages, last = [], -1
            while page := await submission.arrivals(0, last):
                pages.append([each.sample for each in page])
                last = page[-1].number
            return pages

    assert asyncio.run(read()) == [["a"], ["b"]]


async def hostile(worker: Server, name: str, how: str) -> None:
    """Take every block of a queue, and do no work."""
    mine = worker.register()
    fetched = "SELECT id, args FROM procrastinate_fetch_job_v2(%s::varchar[], %s::bigint)"
    while True:
        ((job, args),) = await asyncio.to_thread(worker.rows, fetched, [name], mine)
        if job is None:
            await asyncio.sleep(0.05)
        elif how == "fails":
            worker.rows("SELECT procrastinate_finish_job_v1(%s, 'failed', true)", job)
        else:
            begun = "SELECT token, samples FROM ragate_work.begin_block(%s, %s)"
            ((token, samples),) = worker.rows(begun, args["plan"], args["block"])
            if how == "greets with nonsense":
                worker.rows("SELECT ragate_work.greet(%s, '[[[')", token)
            greeting = SYSTEM_GREETING
            worker.rows("SELECT ragate_work.greet(%s, %s)", token, greeting)
            worker.append(token, samples, ['{"id": "apples", "answer": "PASS"}'] * len(samples))
            worker.rows("SELECT ragate_work.end_block(%s)", token)
            worker.rows("SELECT procrastinate_finish_job_v1(%s, 'succeeded', true)", job)


@pytest.mark.parametrize("how", ["fails", "greets with nonsense", "writes nonsense"])
def test_a_run_that_a_hostile_worker_serves_is_never_passed(
    queue: str, worker: Server, database: PostgresDatabase, tmp_path: Path, how: str
) -> None:
    with openai_server() as provider:
        machines = Machines(tmp_path, database.conninfo(), provider)
        machines.role = PULL
        config, operations = machines.setup(machines.roots[0])
        name = queue_name(frozen(config, operations, Selection()), PULL)

        async def main() -> None:
            running = asyncio.create_task(hostile(worker, name, how))
            try:
                url = logged_in(queue, SUBMITTER)
                await machines.check(machines.roots[0], opens_on_workers(url))
            finally:
                running.cancel()

        with pytest.raises(RagateError) as caught:
            asyncio.run(main())

    assert caught.value.exit_code in {2, 3}
