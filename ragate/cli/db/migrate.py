"""``ragate db migrate``: our schemas, on the servers that variables name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.operations import with_dotenv
from ragate.errors import UsageError

if TYPE_CHECKING:
    import psycopg

    Bring = Callable[[psycopg.Connection[Any]], Mapping[str, int]]


def _bring_queue(connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    from ragate.queue.engine_schema import engine_version
    from ragate.queue.schema import migrate_queue
    from ragate.queue.tables import ENGINE_SCHEMA

    steps = migrate_queue(connection)
    said = {ENGINE_SCHEMA: f"{ENGINE_SCHEMA} (Procrastinate, {engine_version(connection)})"}
    return {said.get(schema, schema): count for schema, count in steps.items()}


def _bring_runs(connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    from ragate.database.migrations import migrate
    from ragate.stores.postgres.schema import MIGRATIONS as RUNS

    return {RUNS.schema: migrate(connection, RUNS)}


# Variable -> what brings every schema of ours there up to date, and says how many steps each took.
SERVERS: dict[str, Bring] = {
    "RAGATE_QUEUE_URL": _bring_queue,
    "RAGATE_RUNS_URL": _bring_runs,
}


@click.command("migrate")
def command() -> int:
    """Bring our schemas up to date on the servers that variables name.

    Use a role that owns the schemas, or may create them.
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
                done = f"{steps} step{'s' * (steps != 1)} applied" if steps else "up to date"
                click.echo(f"{name}: {schema}: {done}")
    return 0
