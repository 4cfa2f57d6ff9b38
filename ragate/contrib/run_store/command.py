"""``ragate db migrate``: the schema of the run store, brought up to date."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ragate.cli.finding import plural
from ragate.cli.operations import with_dotenv
from ragate.errors import UsageError
from ragate.resources.operations import RUNS_URL


@click.command("migrate")
def command() -> int:
    """Bring the schema of the run store up to date on the server of `RAGATE_RUNS_URL`.

    Use a role that owns the schema, or may create it.
    \f

    It may run at any time, and twice at once. The queue of [workers](workers.md) and the index of
    the built-in RAG need no migration.
    """
    from ragate.contrib.run_store.connect import MIGRATIONS
    from ragate.contrib.run_store.migrations import migrate
    from ragate.database.connecting import connected

    environment = with_dotenv(Path.cwd(), dict(os.environ))
    url = environment.get(RUNS_URL, "").strip()
    if not url:
        raise UsageError(
            f"{RUNS_URL}: not set, so there is no schema to migrate",
            remedy="set it to postgresql://user:password@host:5432/database; queue and index need "
            "no migration",
        )
    with connected(url, RUNS_URL) as connection:
        steps = migrate(connection, MIGRATIONS)
    done = f"{plural(steps, 'step')} applied" if steps else "up to date"
    click.echo(f"{RUNS_URL}: {MIGRATIONS.schema}: {done}")
    return 0
