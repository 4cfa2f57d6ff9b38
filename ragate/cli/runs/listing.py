"""``ragate runs list`` and ``prune``: what is stored, newest first, and what of it is to go."""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Callable
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Any

import click

from ragate.cli.operations import open_operations
from ragate.cli.options import config_option
from ragate.errors import UsageError
from ragate.runtime.run_labels import read_meta
from ragate.stores.listed_run import ListedRun, RunFilter, RunStatus, fitting, run_facts
from ragate.stores.postgres.open_store import open_store
from ragate.stores.prune import prunable
from ragate.support.escape import one_line

_DAY = click.DateTime(["%Y-%m-%d"])
_COMMIT = re.compile(r"[0-9a-fA-F]{4,64}")


def run_filters(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options; the command gets them as one `wanted`."""

    @wraps(function)
    def command(**given: Any) -> int:
        options = {name: given.pop(name) for name in _NAMES}
        return function(wanted=_filter(**options), **given)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _filter(
    *,
    since: datetime.datetime | None,
    until: datetime.datetime | None,
    commit: str,
    status: tuple[str, ...],
    meta: tuple[str, ...],
    **named: str,
) -> RunFilter:
    if commit and not _COMMIT.fullmatch(commit):
        raise UsageError(
            f"--commit {commit!r}: no commit",
            remedy="give its hexadecimal digits, at least the first four",
        )
    if since and until and until < since:
        raise UsageError(f"--until {until:%Y-%m-%d} lies before --since {since:%Y-%m-%d}")
    return RunFilter(
        commit=commit,
        since=f"{since:%Y-%m-%d}" if since else "",
        until=f"{until:%Y-%m-%d}" if until else "",
        statuses=frozenset(map(RunStatus, status)),
        meta=read_meta(meta),
        **named,
    )


_NAMES = ("gate", "commit", "branch", "since", "until", "model", "status", "meta")
_OPTIONS = (
    click.option("--gate", default="", help="Only runs of this gate."),
    click.option("--commit", default="", metavar="SHA", help="Only runs of this commit."),
    click.option("--branch", default="", help="Only runs of this branch."),
    click.option("--since", type=_DAY, help="Only runs of this day, in UTC, and later."),
    click.option("--until", type=_DAY, help="Only runs of this day, in UTC, and earlier."),
    click.option("--model", default="", help="Only runs with a model whose name holds this."),
    click.option(
        "--status",
        multiple=True,
        type=click.Choice([str(status) for status in RunStatus]),
        help="Only runs that ended so; may be repeated.",
    ),
    click.option(
        "--meta", multiple=True, metavar="KEY=VALUE", help="Only runs noted so; may be repeated."
    ),
)


@click.command("list")
@config_option
@run_filters
@click.option("--limit", type=click.IntRange(min=1), help="Only the newest N of them.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(*, config: Path | None, wanted: RunFilter, limit: int | None, as_json: bool) -> int:
    """List the stored runs, newest first; what cannot be read is listed as broken.
    \f

    The status is the verdict's (`passed`, `failed`, `no_decision`, `bootstrap`), else `recorded`
    (of a baseline: nobody judged it), `collected` (outputs for `decide`), `unfinished`
    (interrupted, or still running) or `broken`, with the reason. A branch is the pull request's in
    a job, else what was checked out; of a commit the first four digits are enough.
    """
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
    """Return a run as one line: id, status, commit, gate, branch and models, and what was noted."""
    noted = [f"{key}={value}" for key, value in run.meta.items()]
    words = [run.gate, run.branch, "partial" if run.partial else "", ", ".join(run.models)]
    words += [*noted, run.description, run.problem]
    head = f"{one_line(run.run_id):<25} {run.status:<11} {one_line(run.commit[:7]):<7}"
    return "  ".join([head, *map(one_line, filter(None, words))]).rstrip()


@click.command("prune")
@config_option
@run_filters
@click.option("--keep", type=click.IntRange(min=0), help="The newest N of every gate stay.")
@click.option("--dry-run", is_flag=True, help="Say which, and remove nothing.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
def prune(
    *, config: Path | None, wanted: RunFilter, keep: int | None, dry_run: bool, yes: bool
) -> int:
    """Remove the stored runs that the options name, but for the newest --keep of every gate.

    A run that may still go on stays, and so does a folder that no run made.
    \f

    It shows them and asks first; `--keep` or a filter is needed, and without a terminal `--yes`. A
    run that is unfinished or collected, and was written to within a day, may still go on.

    ```bash
    ragate runs prune --keep 20 --yes                       # in a nightly job
    ragate runs prune --status no_decision --until 2026-10-31
    ```
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
