"""``ragate db``: the embedded server, and what extensions do with a database."""

from __future__ import annotations

from pathlib import Path

import click

from ragate.cli.group import LazyGroup
from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.errors import DatabaseError


@click.group("db", cls=LazyGroup, table={}, words="db")
def command() -> None:
    """Show or stop the embedded Postgres."""


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
