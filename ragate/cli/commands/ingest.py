"""``ragate ingest``: bring the index of the system under test up to date."""

import asyncio
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option


@click.command("ingest")
@config_option
@click.option("--rebuild", is_flag=True, help="Build the index anew instead of updating it.")
def command(*, config: Path | None, rebuild: bool) -> int:
    """Bring the built-in RAG's index up to date; unchanged documents cost nothing.
    \f

    `check` and `collect` do the same by themselves. A page that you remove from the folder does not
    stay searchable.
    """
    from ragate.answers.ready_system import ingest

    loaded, operations = open_config(config)
    count = asyncio.run(ingest(loaded, operations, rebuild=rebuild))
    if count is None:
        click.echo(f"{loaded.system.use}: nothing to ingest; this system builds no index")
    else:
        click.echo(f"{loaded.system.use}: {count} documents in the index")
    return 0
