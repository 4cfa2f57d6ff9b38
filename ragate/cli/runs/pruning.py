"""``ragate runs prune``: remove old runs, after saying which."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ragate.cli.operations import open_operations
from ragate.cli.options import config_option
from ragate.cli.runs.filters import run_filters
from ragate.cli.runs.listing import run_line
from ragate.errors import UsageError
from ragate.stores.postgres.open_store import open_store
from ragate.stores.prune import prunable
from ragate.stores.run_filter import RunFilter, fitting


@click.command("prune")
@config_option
@run_filters
@click.option("--keep", type=click.IntRange(min=0), help="The newest N of every gate stay.")
@click.option("--dry-run", is_flag=True, help="Say which, and remove nothing.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
def command(
    *, config: Path | None, wanted: RunFilter, keep: int | None, dry_run: bool, yes: bool
) -> int:
    """Remove the stored runs that the options name, but for the newest --keep of every gate.

    A run that may still go on stays, and so does a folder that no run made.
    """
    if keep is None and wanted.empty:
        raise UsageError(
            "prune removes nothing unless it is told which runs",
            remedy="--keep 20 keeps the newest twenty of every gate, --until DATE those after it",
        )
    operations = open_operations(config)
    store = open_store(operations.state, operations.runs_url)
    found = fitting(store.listed(), wanted)
    going = prunable(found, keep=keep or 0, written=store.last_write, writer=store.writer)
    if dry_run or not yes:
        for run in going:
            place = store.place(run)
            click.echo(f"{run_line(run)}  ({place})" if place else run_line(run))
    if dry_run or not going:
        click.echo(f"{_count(len(going))} would go" if going else "nothing to remove")
        return 0
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                f"{_count(len(going))} would go, and nobody is there to ask",
                remedy="look at the list with --dry-run, and give --yes",
            )
        click.confirm(f"remove {_count(len(going))}?", abort=True)
    click.echo(f"{_count(sum(1 for _ in store.remove(going)))} removed")
    return 0


def _count(number: int) -> str:
    return f"{number:,} run{'' if number == 1 else 's'}"
