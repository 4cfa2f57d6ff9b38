"""``ragate plan``: freeze what is asked, and split it into shards."""

from functools import partial
from pathlib import Path
from shlex import quote

import click

from ragate.cli.finding import plural
from ragate.cli.operations import open_config
from ragate.cli.options import FILE, RunOptions, run_options
from ragate.cli.shard_choice import PLAN_NAME


@click.command("plan")
@partial(run_options, output=False)
@click.option(
    "--out",
    type=FILE,
    help="Where the plan goes; default: .ragate/plan.json.",
)
@click.option(
    "--shards", type=click.IntRange(1, 1000), default=8, help="Into how many parts; default: 8."
)
@click.option("--runs", type=click.IntRange(1, 50), default=1, help="Passes over the samples.")
def command(*, options: RunOptions, out: Path | None, shards: int, runs: int) -> int:
    """Write what several jobs collect together: `ragate collect --plan` does one part of it.

    A sample's part is a hash of its id, or of its cluster, which stays whole. Nothing is run.
    \f

    Options that choose what is run belong here: `collect --plan` refuses them. [Shards](forks.md)
    tells where they help.
    """
    from ragate.pipeline.shards.shard_plan import plan_here, write_plan
    from ragate.runtime.operations import ignore_itself

    loaded, operations = open_config(options.config)
    chosen = options.selection(loaded, runs=runs)
    plan = plan_here(loaded, operations, chosen, shards)
    ignore_itself(operations.state)
    path = out or operations.state / PLAN_NAME
    write_plan(path, plan)
    counts = plan.counts()
    empty = f", {counts.count(0)} of them empty" if 0 in counts else ""
    samples = plural(len(plan.samples), "sample")
    click.echo(f"{samples} in {shards} shards of {min(counts)} to {max(counts)}{empty}")
    following = f"ragate collect --plan {quote(str(path))} --shard 1/{shards}"
    click.echo(f"written to {path}; next: {following}")
    return 0
