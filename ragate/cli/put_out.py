"""Where what a command says goes: to the files that its options name, or to standard output."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import in_ci
from ragate.cli.streams import file_or_stdout
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.models import Report


def targets(formats: Sequence[str], outputs: Sequence[Path]) -> list[tuple[str, Path | None]]:
    """Pair every format with its file; None stands for standard output, and so does ``-``.

    Raises:
        UsageError: more files than formats, or one file for two of them.
    """
    names = list(formats) or ["console"]
    if len(outputs) > len(names):
        raise UsageError(
            f"{len(outputs)} --output for {len(names)} --format",
            remedy="give every --output its own --format",
        )
    if len(set(outputs)) < len(outputs):
        raise UsageError("two --output name the same file", remedy="give every --format its own")
    from ragate.guards.seal import expect_modules
    from ragate.run.late_parts import expect_renderers

    expect_modules(
        "ragate.cli.checkout_rules", "ragate.cli.shown_report", "ragate.runs.run_details"
    )
    expect_renderers(names)
    paired = zip_longest(names, map(file_or_stdout, outputs))
    return [(name, path) for name, path in paired if name is not None]


def show(
    report: Report, destinations: Sequence[tuple[str, Path | None]], *, verbose: bool = False
) -> int:
    """Write the report in every wanted format; return the exit code of its verdict.

    Args:
        verbose: The console lists everything.
    """
    from ragate.cli.shown_report import shown_here, summary

    report = shown_here(report)
    for name, path in destinations:
        _put_report(report, name, path, verbose=verbose)
    if all(path is not None for _, path in destinations):
        click.echo(summary(report), err=True)
    return report.decision.exit_code


def put_out(text: str, path: Path | None) -> None:
    """Write a text with one line end to a file, or to standard output where none is named.

    Raises:
        StorageError: it cannot be written; a file that was there is unchanged.
    """
    put_parts([f"{text.rstrip(chr(10))}\n"], path)


def put_parts(parts: Iterable[str], path: Path | None) -> None:
    """Write a text that comes in parts, as `put_out` does with its line end in the last one."""
    from ragate.files.atomic_files import write_output

    if path is not None:
        write_output(path, (part.encode() for part in parts))
    else:
        for part in parts:
            click.echo(part, nl=False)


def _put_report(report: Report, name: str, path: Path | None, *, verbose: bool) -> None:
    from ragate import plugins

    renderer = plugins.load("renderers", name)
    if name == "json":
        put_parts(renderer.parts(report), path)
    elif name == "console":
        seen = path is None and sys.stdout.isatty()
        text = renderer.render(
            report,
            colour=seen and not os.environ.get("NO_COLOR"),
            ci=in_ci(),
            verbose=verbose,
            terminal=shutil.get_terminal_size((0, 0)).columns if seen else 0,
        )
        put_out(text, path)
    else:
        put_out(renderer.render(report), path)
