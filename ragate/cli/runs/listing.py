"""``ragate runs list``: what is in the state folder and the run store, newest first."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import click

from ragate.cli.operations import open_operations
from ragate.cli.options import config_option
from ragate.cli.runs.filters import run_filters
from ragate.stores.listed_run import ListedRun, run_facts
from ragate.stores.postgres.open_store import open_store
from ragate.stores.run_filter import RunFilter, fitting
from ragate.support.escape import one_line


@click.command("list")
@config_option
@run_filters
@click.option("--limit", type=click.IntRange(min=1), help="Only the newest N of them.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(*, config: Path | None, wanted: RunFilter, limit: int | None, as_json: bool) -> int:
    """List the stored runs, newest first; what cannot be read is listed as broken."""
    operations = open_operations(config)
    store = open_store(operations.state, operations.runs_url)
    runs = list(islice(fitting(store.listed(), wanted), limit))
    if as_json:
        click.echo(json.dumps([run_facts(run) for run in runs], indent=2))
        return 0
    if runs:
        click.echo("\n".join(map(run_line, runs)))
    else:
        which = "no run" if wanted.empty else "no run that fits"
        there = ", and none in the run store" if operations.runs_url else ""
        click.echo(f"{which} in {store.runs}{there}", err=True)
    return 0


def run_line(run: ListedRun) -> str:
    """Return a run as one line: id, status, commit, gate and branch, and what was noted."""
    noted = [f"{key}={value}" for key, value in run.meta.items()]
    words = [run.gate, run.branch, "partial" if run.partial else ""]
    words += [*noted, run.description, run.problem]
    head = f"{one_line(run.run_id):<25} {run.status:<11} {one_line(run.commit[:7]):<7}"
    return "  ".join([head, *map(one_line, filter(None, words))]).rstrip()
