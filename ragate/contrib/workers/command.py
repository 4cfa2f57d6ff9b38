"""``ragate worker``: ask the questions of runs that other machines submit."""

from __future__ import annotations

from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option
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
    \f

    A worker takes blocks of four questions, several at a time, and starts the system once for all
    blocks of a run. Each output is in the database before its place is free again: a worker that is
    killed loses what was in flight, and nothing that was answered.

    **Which worker gets what.** A queue's name is made of the version of ragate, gate, commit and
    changes to it, `[policy]`, `[system]`, golden set and corpus: a worker with others in its
    checkout listens elsewhere. Where no worker comes for 15 seconds, `check` says what to start in
    which checkout; after 10 minutes it ends with 3. A worker ends with 0 after `--idle-s`, and with
    130 where it was told to end: [Workers](workers.md).
    """
    from ragate.contrib.workers.queue import queue_url
    from ragate.process import INTERRUPTED

    loaded, operations = open_config(config)
    url = queue_url(operations, "ragate worker")
    from ragate.contrib.workers.work import work  # whose library is there, by then

    slots = concurrency or operations.concurrency
    try:
        done = run_aside(work(loaded, operations, url, slots=slots, idle_s=idle_s))
    except KeyboardInterrupt:
        operations.say("told to end: what was answered is in the queue, the rest goes to others")
        return INTERRUPTED
    click.echo(f"{done.answered} questions in {done.blocks} blocks")
    return 0
