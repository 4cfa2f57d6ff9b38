"""``ragate judge``: what the judge says of one shard, ahead of the verdict."""

import asyncio
from functools import partial
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import RunOptions, run_options
from ragate.cli.shard_choice import given_shards
from ragate.process import NO_DECISION


@click.command("judge")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@partial(run_options, output=False)
@click.option(
    "--plan",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The plan that FILE is a shard of.",
)
def command(*, file: Path, options: RunOptions, plan: Path) -> int:
    """Ask the judge about the outputs in FILE, one shard, and keep what it says in the cache.

    Gives no verdict: `ragate decide` does, and asks nothing again that the cache holds.
    """
    from ragate.pipeline.shards.merge import judge_shard

    loaded, operations = open_config(options.config)
    chosen = options.selection(loaded)
    shard = given_shards(loaded, plan, [file], operations)
    (number,) = shard.numbers
    done = asyncio.run(judge_shard(loaded, operations, chosen, shard, number))
    shards = shard.wanted.shards
    click.echo(
        f"shard {number}/{shards}: {done.samples} samples, {done.fresh} judgements asked for, "
        f"{done.reused} there already; {done.tally.calls} calls, ${done.tally.cost_usd:.2f}"
    )
    if done.lack:
        click.echo(f"not all of it counts: {done.lack}", err=True)
        return NO_DECISION
    click.echo("next: ragate cache export FILE, and ragate cache import FILE where `decide` runs")
    return 0
