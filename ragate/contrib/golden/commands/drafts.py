"""What the commands that draft have in common: their options, and what they tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragate.cli.dataset.shared import one_line, refuse_overwriting
from ragate.cli.finding import plural
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.contrib.golden.drafting import DraftReplies

F = TypeVar("F", bound=Callable[..., Any])


def model_options(function: F) -> F:
    """Add --provider and --model."""
    provider = click.option(
        "--provider", default="", help="A table of [policy.providers]; default: the judge's."
    )
    model = click.option("--model", default="", help="Default: the judge's.")
    return provider(model(function))


def draft_options(function: F) -> F:
    """Add --output, --append and --force: where drafts go."""
    output = click.option(
        "--output", type=click.Path(path_type=Path), help="Write the drafts to this file."
    )
    append = click.option("--append", is_flag=True, help="Add the drafts to FILE instead.")
    force = click.option(
        "--force", is_flag=True, help="Replace --output where it is there already."
    )
    return output(append(force(function)))


def refuse_unplaced(output: Path | None, *, append: bool, force: bool) -> None:
    """Raise where drafts go nowhere, or over a file that nobody gave up."""
    if append == (output is not None):
        raise UsageError("where do the drafts go?", remedy="give --output FILE, or --append")
    if output is not None:
        refuse_overwriting(output, force=force)


def place_drafts(rows: list[dict[str, Any]], output: Path | None, path: Path) -> None:
    """Write drafts to `output`, or without one at the end of the golden set at `path`."""
    from ragate.contrib.golden.golden_file import open_golden
    from ragate.dataset.edit import write_rows

    if not rows:
        return
    if output is not None:
        write_rows(output, rows)
        return
    golden = open_golden(path)
    for row in rows:
        golden.append(row)
    golden.save()


def spent(replies: DraftReplies) -> str:
    """Return what drafting cost, in words."""
    cost = "" if replies.cost_usd is None else f", ${replies.cost_usd:.2f}"
    return f"{plural(replies.calls, 'model call')}{cost}"


def tell_placed(rows: list[dict[str, Any]], noun: str, target: Path, cost: str) -> None:
    """Print how many drafts were written where, and that none counts yet."""
    click.echo(f"{target}: {plural(len(rows), noun)}{cost}")
    if rows:
        click.echo("no run asks a draft: `ragate dataset accept` lets it count")


def tell_lacking(replies: DraftReplies, dropped: Mapping[str, int], word: str) -> None:
    """Print which drafts there are not, and why.

    Args:
        dropped: How many, by reason. word: What was done with these.
    """
    for reason, count in sorted(dropped.items()):
        click.echo(f"{word}: {count} ({one_line(reason)})")
    for reason in sorted(set(replies.failed.values())):
        click.echo(f"failed: {one_line(reason)}", err=True)
    if replies.stopped:
        click.echo(f"stopped: {one_line(replies.stopped)}", err=True)
