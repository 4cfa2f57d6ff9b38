"""``ragate db``: the embedded server, and our schemas on servers that a URL names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.finding import plural
from ragate.cli.group import OrderedGroup
from ragate.cli.operations import open_config, say, with_dotenv
from ragate.cli.options import config_option
from ragate.errors import DatabaseError, UsageError

if TYPE_CHECKING:
    import psycopg


VARIABLE = "RAGATE_QUEUE_URL"
Bring = Callable[["psycopg.Connection[Any]"], Mapping[str, int]]


@click.group("db", cls=OrderedGroup)
def command() -> None:
    """Show or stop the embedded Postgres; bring schemas up to date."""


@command.command(
    "status", short_help="Say whether the server runs, where its data is, and who uses it."
)
@config_option
def status(*, config: Path | None) -> int:
    """Say whether the embedded server runs, where its data is, and who uses it."""
    from ragate import database

    _, operations = open_config(config)
    if operations.database_url:
        with database.PostgresDatabase(operations.state, url=operations.database_url) as server:
            server.conninfo()
        click.echo("the server of RAGATE_DATABASE_URL: reachable, with pgvector")
        return 0
    status = database.open_server(operations.state).status()
    state = f"running (pid {status.pid})" if status.running else "stopped"
    users = ", in use by another command" if status.in_use else ""
    click.echo(f"embedded Postgres: {state}{users}\ndata: {status.folder}")
    return 0


@command.command("stop")
@config_option
@click.option("--force", is_flag=True, help="Stop it although another command uses it.")
def stop(*, config: Path | None, force: bool) -> int:
    """Stop the embedded server, if it runs; its data stays.
    \f

    For an embedded Postgres that was left behind. A server that another command is using is left
    alone, with exit code 3.
    """
    from ragate import database

    _, operations = open_config(config)
    if not database.open_server(operations.state).stop(force=force):
        raise DatabaseError(
            "the embedded Postgres is in use by another command",
            remedy="wait for it to end, or `ragate db stop --force`",
        )
    click.echo("the embedded Postgres is stopped")
    return 0


def _bring_queue(connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    from ragate.queue.schema import engine_version, migrate_queue
    from ragate.queue.tables import ENGINE_SCHEMA

    steps = migrate_queue(connection)
    said = {ENGINE_SCHEMA: f"{ENGINE_SCHEMA} (Procrastinate, {engine_version(connection)})"}
    return {said.get(schema, schema): count for schema, count in steps.items()}


def _bring_runs(connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    from ragate.database.migrations import migrate
    from ragate.stores.postgres.connect import MIGRATIONS as RUNS

    return {RUNS.schema: migrate(connection, RUNS)}


# Variable -> what brings every schema of ours there up to date, and says how many steps each took.
SERVERS: dict[str, Bring] = {
    "RAGATE_QUEUE_URL": _bring_queue,
    "RAGATE_RUNS_URL": _bring_runs,
}


@command.command(
    "migrate", short_help="Bring the schemas of the run store and the queue up to date."
)
def migrate_all() -> int:
    """Bring our schemas up to date on the servers that variables name.

    Use a role that owns the schemas, or may create them.
    \f

    The servers are those of `RAGATE_QUEUE_URL` and `RAGATE_RUNS_URL` ([Database](database.md)). It
    says which of Procrastinate's migrations the queue has. It may run at any time, and twice at
    once.
    """
    from ragate.database.connecting import connected

    environment = with_dotenv(Path.cwd(), dict(os.environ))
    urls = {name: url for name in SERVERS if (url := environment.get(name, "").strip())}
    if not urls:
        raise UsageError(
            f"{' and '.join(SERVERS)}: not set, so there is no schema to migrate",
            remedy="set what you use to postgresql://user:password@host:5432/database; the "
            "index of the built-in RAG needs no migration",
        )
    for name, url in urls.items():
        with connected(url, name) as connection:
            for schema, steps in SERVERS[name](connection).items():
                done = f"{plural(steps, 'step')} applied" if steps else "up to date"
                click.echo(f"{name}: {schema}: {done}")
    return 0


@command.command(
    "roles", short_help="Print or run the SQL of the roles: who may do what in the queue."
)
@click.option(
    "--worker",
    "workers",
    multiple=True,
    metavar="NAME",
    help="A role for workers that may trust one another; repeatable.  [default: ragate_worker]",
)
@click.option(
    "--submitter",
    "submitters",
    multiple=True,
    metavar="NAME",
    help="A role for who submits runs; repeatable.  [default: ragate_submitter]",
)
@click.option("--apply", is_flag=True, help=f"Run the SQL on the server of {VARIABLE}.")
def roles(*, workers: tuple[str, ...], submitters: tuple[str, ...], apply: bool) -> int:
    """Print the SQL of the queue's roles, or run it.

    It may be run again: after each `ragate db migrate`, and to add a role.
    \f

    For example `ragate db roles --worker NAME --submitter NAME --apply`: [Workers](workers.md).
    """
    from ragate.database.roles_sql import roles_sql

    text = roles_sql(workers or ("ragate_worker",), submitters or ("ragate_submitter",))
    if not apply:
        click.echo(text)
        return 0
    from ragate.database.connecting import connected

    url = with_dotenv(Path.cwd(), dict(os.environ)).get(VARIABLE, "")
    if not url:
        raise UsageError(
            f"--apply: {VARIABLE} is not set",
            remedy="set it to the server, with a role that may create roles",
        )
    with connected(url, VARIABLE) as connection:
        connection.add_notice_handler(lambda notice: say(f"warning: {notice.message_primary}"))
        connection.execute("SET client_min_messages = warning")
        connection.execute(text.encode())
    click.echo("the roles are there; `ALTER ROLE … PASSWORD` lets each of them log in")
    return 0
