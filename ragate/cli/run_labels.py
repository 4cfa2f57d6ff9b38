"""``--meta`` and ``--description``: what a person notes with a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ragate.errors import UsageError
from ragate.runtime.run_labels import RunLabels

MOST_KEYS = 50
MOST_CHARS = 1000
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def read_meta(texts: tuple[str, ...]) -> dict[str, str]:
    """Return what KEY=VALUE texts say, in their order.

    Raises:
        UsageError: a text is none, a key stands twice, or there is too much.
    """
    meta: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not _KEY.fullmatch(key):
            raise UsageError(
                f"--meta {text!r}: not KEY=VALUE",
                remedy="a key is letters, digits, _ . and -, at most 64: --meta ticket=RAG-17",
            )
        if key in meta:
            raise UsageError(f"--meta {key} is given twice", remedy="give every key one value")
        meta[key] = _bounded(f"--meta {key}", value)
    if len(meta) > MOST_KEYS:
        raise UsageError(f"{len(meta)} --meta, and the limit is {MOST_KEYS}")
    return meta


def _bounded(option: str, text: str) -> str:
    if len(text) > MOST_CHARS:
        raise UsageError(f"{option}: {len(text)} characters, and the limit is {MOST_CHARS}")
    return text


def label_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add --meta and --description; the command gets them as `labels`."""

    @wraps(function)
    def command(*, meta: tuple[str, ...], description: str, **given: Any) -> int:
        text = _bounded("--description", description)
        return function(labels=RunLabels(read_meta(meta), text), **given)

    command = click.option(
        "--description", default="", metavar="TEXT", help="Note this with the run."
    )(command)
    return click.option(
        "--meta",
        multiple=True,
        metavar="KEY=VALUE",
        help="Note this with the run, for `ragate runs`; may be repeated.",
    )(command)
