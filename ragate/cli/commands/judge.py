"""``ragate judge``: what the judge says of one shard, ahead of the verdict."""

import asyncio
from functools import partial
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import EXISTING_FILE, RunOptions, run_options
from ragate.cli.shard_choice import given_shards
from ragate.process import NO_DECISION


@click.command("judge")
@click.argument("file", type=EXISTING_FILE)
@partial(run_options, output=False)
@click.option(
    "--plan",
    required=True,
    type=EXISTING_FILE,
    help="The plan that FILE is a shard of.",
)
def command(*, file: Path, options: RunOptions, plan: Path) -> int:
    """Ask the judge about the outputs in FILE, one shard, and keep what it says in the cache.

    Gives no verdict: `ragate decide` does, and asks nothing again that the cache holds.
    \f

    For judges that take long: jobs that you trust, each with one shard, hold the key and run
    nothing of the change. A job has its shard's part of the caps, checks the judge by its canaries,
    and ends with 3 where the judge stopped or failed them.

    ```bash
    # in each job
    ragate judge --plan plan.json .ragate/shards/shard-3-of-8.jsonl
    ragate cache export judged-3.jsonl
    # in the last one
    for file in judged-*.jsonl; do ragate cache import "$file"; done
    ragate decide --plan plan.json .ragate/shards/*.jsonl
    ```
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
