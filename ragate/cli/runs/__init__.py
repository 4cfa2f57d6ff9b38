"""``ragate runs``: the stored runs. Each subcommand is loaded when it runs."""

import click

from ragate.cli.group import LazyGroup

# Name -> (module, one line for the list of commands).
TOOLS: dict[str, tuple[str, str]] = {
    "list": ("listing", "List the stored runs, newest first."),
    "prune": ("listing:prune", "Remove old runs."),
    "push": ("pushing", "Send runs to the run store that it lacks."),
    "export": ("exporting", "Write runs as a table: JSONL, CSV or Parquet."),
}


@click.group("runs", cls=LazyGroup, table=TOOLS, package="ragate.cli.runs")
def command() -> None:
    """The runs of the state folder and of the run store; docs/reports.md."""
