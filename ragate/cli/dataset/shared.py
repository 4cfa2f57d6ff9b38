"""What the tools for golden sets have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragate.cli.finding import plural
from ragate.errors import ConfigError, UsageError
from ragate.support import escape

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.pipeline.golden.drafting import DraftReplies
    from ragate.runtime.operations import Operations

F = TypeVar("F", bound=Callable[..., Any])
file_argument = click.argument(
    "file", required=False, type=click.Path(path_type=Path, exists=True), metavar="[FILE]"
)
corpus_option = click.option(
    "--corpus",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the documents; default: the corpus of the configured pgvector system.",
)


def model_options(function: F) -> F:
    """Add --provider and --model."""
    provider = click.option(
        "--provider", default="", help="A table of [policy.providers]; default: the judge's."
    )
    model = click.option("--model", default="", help="Default: the judge's.")
    return provider(model(function))


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


@dataclass(frozen=True)
class ToolInput:
    """What a tool works on: a golden set, and the configuration where there is one."""

    path: Path
    config: Config | None
    operations: Operations | None

    def configured(self) -> tuple[Config, Operations]:
        """Return the configuration.

        Raises:
            ConfigError: there is none, and this tool cannot do without.
        """
        if self.config is None or self.operations is None:
            raise ConfigError(
                "this needs a ragate.toml, and there is none here",
                remedy="run it in the project, or name one with --config",
            )
        return self.config, self.operations


def subject(file: Path | None, config: Path | None) -> ToolInput:
    """Return FILE, or the golden set of the configuration.

    A file given by name needs no configuration; one that is there and broken is an error.
    """
    from ragate.cli.operations import open_config
    from ragate.config import find_config

    if file is not None and config is None:
        try:
            find_config(Path.cwd())
        except ConfigError:
            return ToolInput(file, None, None)
    loaded, operations = open_config(config)
    return ToolInput(file or shown_path(loaded.dataset), loaded, operations)


def shown_path(path: Path) -> Path:
    """Return the path as a person would type it here."""
    cwd = Path.cwd().resolve()
    return path.relative_to(cwd) if path.is_relative_to(cwd) else path


def one_line(text: str, limit: int = 300) -> str:
    """Return foreign text as a terminal and the log of a workflow may show it."""
    return escape.plain(escape.one_line(text, limit))


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
    from ragate.dataset.edit import open_golden, write_rows

    if not rows:
        return
    if output is not None:
        write_rows(output, rows)
        return
    golden = open_golden(path)
    for row in rows:
        golden.append(row)
    golden.save()


def refuse_overwriting(path: Path, *, force: bool) -> None:
    """Raise where a golden set would be replaced that nobody gave up.

    Raises:
        UsageError: it is there already, or its name is not that of JSON Lines.
    """
    refuse_replacing(path, force=force)
    if path.suffix.lower() not in {".jsonl", ".ndjson"}:
        raise UsageError(
            f"--output {path}: JSON Lines are written", remedy="give it the ending .jsonl"
        )


def refuse_replacing(path: Path, *, force: bool) -> None:
    """Raise where a file would be replaced that nobody gave up."""
    if path.is_dir() or (path.exists() and not force):
        raise UsageError(
            f"{path}: there already, nothing was written",
            remedy="choose another --output, or give --force to replace it",
        )
