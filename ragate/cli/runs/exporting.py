"""``ragate runs export``: stored runs as a table, for a notebook or a spreadsheet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.operations import in_ci, open_config
from ragate.cli.options import config_option
from ragate.cli.runs.listing import run_filters
from ragate.cli.streams import file_or_stdout
from ragate.errors import UsageError
from ragate.stores.listed_run import RunFilter, fitting

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.stores.listed_run import ListedRun
    from ragate.stores.local import LocalStore


@click.command("export")
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
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=lambda _context, _option, path: file_or_stdout(path),
    help="The file; without it, standard output.",
)
def command(
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
    from ragate.pipeline.runs_table import as_csv, as_jsonl, write_parquet
    from ragate.stores.postgres.open_store import open_store
    from ragate.support.atomic_files import write_lines, write_output

    if table_format == "parquet" and output is None:
        raise UsageError("--format parquet writes a file", remedy="name it: --output runs.parquet")
    loaded, operations = open_config(config)
    store = open_store(operations.state, operations.runs_url)
    table = _table(rows, loaded, store, fitting(store.listed(), wanted))
    if table_format == "parquet" and output is not None:
        write_parquet(list(table), output)
    elif table_format == "csv":
        text = as_csv(list(table))
        if output is None:
            click.echo(text, nl=False)
        else:
            write_output(output, text.encode())
    elif output is None:
        for line in as_jsonl(table):
            click.echo(line)
    else:
        write_lines(output, as_jsonl(table))
    return 0


def _table(
    rows: str, config: Config, store: LocalStore, runs: Iterable[ListedRun]
) -> Iterator[dict[str, Any]]:
    from ragate.pipeline.runs_table import run_rows, sample_rows, score_rows

    if rows == "samples":
        publish = config.policy.publish if in_ci(os.environ) else "full"
        return sample_rows(config, store, runs, publish)
    return run_rows(store, runs) if rows == "runs" else score_rows(store, runs)
