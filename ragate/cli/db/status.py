"""``ragate db status``."""

from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option


@click.command("status")
@config_option
def command(*, config: Path | None) -> int:
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
