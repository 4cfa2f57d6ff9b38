"""``ragate runs``: list, prune and export the stored runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.group import OrderedGroup
from ragate.cli.operations import in_ci, open_config, open_operations
from ragate.cli.options import (
    DAY,
    config_option,
    file_option,
    json_option,
    meta_option,
    run_filter,
    with_options,
)
from ragate.cli.put_out import put_out
from ragate.errors import UsageError
from ragate.guards.escape import one_line
from ragate.stores.listed_run import ListedRun, RunFilter, RunStatus, fitting, prunable, run_facts
from ragate.stores.local import LocalStore, open_store

if TYPE_CHECKING:
    from ragate.config import Config


@click.group("runs", cls=OrderedGroup)
def command() -> None:
    """The runs of the state folder and of the run store; docs/reports.md."""


def run_filters(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options; the command gets them as one `wanted`."""

    @wraps(function)
    def with_filters(**given: Any) -> int:
        options = {name: given.pop(name) for name in _NAMES}
        return function(wanted=run_filter(**options), **given)

    return with_options(with_filters, _OPTIONS)


_NAMES = ("gate", "commit", "branch", "since", "until", "model", "status", "meta")
_OPTIONS = (
    click.option("--gate", default="", help="Only runs of this gate."),
    click.option("--commit", default="", metavar="SHA", help="Only runs of this commit."),
    click.option("--branch", default="", help="Only runs of this branch."),
    click.option("--since", type=DAY, help="Only runs of this day, in UTC, and later."),
    click.option("--until", type=DAY, help="Only runs of this day, in UTC, and earlier."),
    click.option("--model", default="", help="Only runs with a model whose name holds this."),
    click.option(
        "--status",
        multiple=True,
        type=click.Choice([str(status) for status in RunStatus]),
        help="Only runs that ended so; may be repeated.",
    ),
    meta_option,
)


@command.command("list", short_help="List the stored runs, newest first.")
@config_option
@run_filters
@click.option("--limit", type=click.IntRange(min=1), help="Only the newest N of them.")
@json_option
def list_runs(*, config: Path | None, wanted: RunFilter, limit: int | None, as_json: bool) -> int:
    """List the stored runs, newest first; what cannot be read is listed as broken.
    \f

    The status is the verdict's (`passed`, `failed`, `no_decision`, `bootstrap`), else `recorded`
    (of a baseline: nobody judged it), `collected` (outputs for `decide`), `unfinished`
    (interrupted, or still running) or `broken`, with the reason. A branch is the pull request's in
    a job, else what was checked out; of a commit the first four digits are enough.
    """
    operations = open_operations(config)
    store = open_store(operations)
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


@command.command("prune", short_help="Remove old runs.")
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
    store = open_store(operations)
    found = fitting(store.listed(), wanted)
    going = prunable(found, keep=keep or 0)
    if dry_run or not yes:
        for run in going:
            click.echo(f"{run_line(run)}  ({run.place})" if run.place else run_line(run))
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


# ``export``: stored runs as a table, for a notebook or a spreadsheet.


@command.command("export", short_help="Write runs as a table: JSONL, CSV or Parquet.")
@config_option
@run_filters
@click.option(
    "--rows",
    type=click.Choice(["runs", "samples", "scores"]),
    default="runs",
    help="A row a run with its means, for each sample, or for each score.",
)
@click.option(
    "--format",
    "table_format",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    default="jsonl",
    help="How the rows are written.",
)
@file_option
def export(
    *,
    config: Path | None,
    wanted: RunFilter,
    rows: str,
    table_format: str,
    output: Path | None,
) -> int:
    """Write the stored runs as a table, newest first.

    Rows of samples hold question and answer; in CI `publish` says which texts may be there.
    \f

    For a notebook or a spreadsheet. Rows of runs and scores hold figures and names: no answer, no
    passage, no reason of a score. In CSV and Parquet a mean stands in the column `mean.NAME`, a
    note in `meta.KEY` and a score in `scores.NAME.value`; in CSV a text that a spreadsheet would
    take for a formula begins with an apostrophe. Parquet needs `pip install "ragate[parquet]"`.
    """
    from ragate.files.atomic_files import write_lines
    from ragate.runs.runs_table import as_csv, as_jsonl, write_parquet

    if table_format == "parquet" and output is None:
        raise UsageError("--format parquet writes a file", remedy="name it: --output runs.parquet")
    loaded, operations = open_config(config)
    store = open_store(operations)
    table = _rows_of(rows, loaded, store, fitting(store.listed(), wanted))
    if table_format == "parquet" and output is not None:
        write_parquet(list(table), output)
    elif table_format == "csv":
        put_out(as_csv(list(table)), output)
    elif output is None:
        for line in as_jsonl(table):
            click.echo(line)
    else:
        write_lines(output, as_jsonl(table))
    return 0


def _rows_of(
    rows: str, config: Config, store: LocalStore, runs: Iterable[ListedRun]
) -> Iterator[dict[str, Any]]:
    from ragate.runs.runs_table import run_rows, sample_rows, score_rows

    if rows == "samples":
        publish = config.policy.publish if in_ci() else "full"
        return sample_rows(config, store, runs, publish)
    if rows == "scores":
        return score_rows(store, runs)
    return run_rows(store, runs, gate=config.gate, card=config.policy.scorecard)
