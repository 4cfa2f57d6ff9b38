"""``--meta`` and ``--description``: what a person notes with a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ragate.runtime.run_labels import read_labels


def label_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add --meta and --description; the command gets them as `labels`."""

    @wraps(function)
    def command(*, meta: tuple[str, ...], description: str, **given: Any) -> int:
        labels = read_labels(meta, description, names=("--meta", "--description"))
        return function(labels=labels, **given)

    command = click.option(
        "--description", default="", metavar="TEXT", help="Note this with the run."
    )(command)
    return click.option(
        "--meta",
        multiple=True,
        metavar="KEY=VALUE",
        help="Note this with the run, for `ragate runs`; may be repeated.",
    )(command)
