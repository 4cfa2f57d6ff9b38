"""``ragate db stop``."""

from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.errors import DatabaseError


@click.command("stop")
@config_option
@click.option("--force", is_flag=True, help="Stop it although another command uses it.")
def command(*, config: Path | None, force: bool) -> int:
    """Stop the embedded server, if it runs; its data stays."""
    from ragate import database

    _, operations = open_config(config)
    if not database.open_server(operations.state).stop(force=force):
        raise DatabaseError(
            "the embedded Postgres is in use by another command",
            remedy="wait for it to end, or `ragate db stop --force`",
        )
    click.echo("the embedded Postgres is stopped")
    return 0
