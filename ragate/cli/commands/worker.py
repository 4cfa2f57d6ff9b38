"""``ragate worker``: ask the questions of runs that other machines submit."""

from __future__ import annotations

from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.cli.queue_url import queue_url
from ragate.cli.streams import run_aside


@click.command("worker")
@config_option
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1024),
    help="Questions at once; default: RAGATE_CONCURRENCY, or 8.",
)
@click.option(
    "--idle-s",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="End after so long without a question; default: never.",
)
def command(*, config: Path | None, concurrency: int | None, idle_s: float | None) -> int:
    """Ask the questions of `check --workers` and `baseline update --workers`.

    Start it in a checkout of the commit that is run, on any number of machines. It judges nothing
    and needs no judge's key.
    """
    from ragate.process import INTERRUPTED
    from ragate.queue.schema import wait_for_schemas

    loaded, operations = open_config(config)
    url = queue_url(operations, "ragate worker")
    from ragate.pipeline.workers.work import work  # whose library is there, by then

    wait_for_schemas(url, say=operations.say)
    slots = concurrency or operations.concurrency
    try:
        done = run_aside(work(loaded, operations, url, slots=slots, idle_s=idle_s))
    except KeyboardInterrupt:
        operations.say("told to end: what was answered is in the queue, the rest goes to others")
        return INTERRUPTED
    click.echo(f"{done.answered} questions in {done.blocks} blocks")
    return 0
