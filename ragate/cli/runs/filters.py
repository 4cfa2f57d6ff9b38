"""Options that say which runs are meant."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ragate.errors import UsageError
from ragate.runtime.run_labels import read_meta
from ragate.stores.listed_run import RunStatus
from ragate.stores.run_filter import RunFilter

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
