"""``ragate runs push``: send runs to the run store that it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.errors import UsageError
from ragate.stores.listed_run import RunStatus
from ragate.stores.local import LocalStore

_NOT_ENDED = frozenset({RunStatus.UNFINISHED, RunStatus.BROKEN})


@click.command("push")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@config_option
def command(*, runs: tuple[str, ...], config: Path | None) -> int:
    """Send runs of the state folder to the run store; without RUN, all that ended and were not.

    RUN is its id, or `latest`. A run that was interrupted is sent as far as it came.
    \f

    See [Run store](workers.md).
    """
    _, operations = open_config(config)
    if not operations.runs_url:
        raise UsageError(
            "RAGATE_RUNS_URL is not set, so there is no run store to send to",
            remedy="set it to postgresql://user:password@host:5432/database",
        )
    from ragate.stores.postgres.push import has_ended, push

    store = LocalStore(operations.state)
    sent = 0
    for folder in _named(store, runs) if runs else _unsent(store, operations.runs_url):
        if not push(operations.runs_url, folder):
            click.echo(f"{folder.name}: the run store has it")
            continue
        sent += 1
        click.echo(f"{folder.name}: sent{'' if has_ended(folder) else ', as far as it came'}")
    if not runs and not sent:
        click.echo("nothing to send")
    return 0


def _named(store: LocalStore, names: Sequence[str]) -> Iterator[Path]:
    from ragate.stores.postgres.connect import is_run_id

    for name in names:
        folder = store.folder(name)
        if name == "latest" or not is_run_id(name) or not folder.is_dir():
            folder = store.find(name)
        yield folder


def _unsent(store: LocalStore, url: str) -> Iterator[Path]:
    from ragate.stores.postgres.push import is_sent

    for run in store.listed():
        if run.status not in _NOT_ENDED and not is_sent(url, run.folder):
            yield run.folder
