"""``ragate dataset generate``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.dataset.shared import (
    corpus_option,
    file_argument,
    model_options,
    one_line,
    refuse_overwriting,
    spent,
    subject,
)
from ragate.cli.finding import plural
from ragate.cli.options import config_option
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.pipeline.golden.generate import Generated

# As in the pipeline, without importing it for --help; a test compares them.
KINDS = ("simple", "multi-document", "distracting", "unanswerable")


@click.command("generate")
@file_argument
@config_option
@corpus_option
@click.option("--count", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Default: all.")
@click.option("--seed", type=int, default=0, show_default=True, help="Take other documents.")
@model_options
@click.option("--output", type=click.Path(path_type=Path), help="Write the drafts to this file.")
@click.option("--append", is_flag=True, help="Add the drafts to FILE instead.")
@click.option("--force", is_flag=True, help="Replace --output where it is there already.")
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    count: int,
    kinds: tuple[str, ...],
    seed: int,
    provider: str,
    model: str,
    output: Path | None,
    append: bool,
    force: bool,
) -> int:
    """Draft questions from the documents, with a chat model of the policy.

    Every question is a draft: no run asks it before `ragate dataset accept`. One whose quotes do
    not stand in its documents is dropped, and so is one that FILE asks already. The caps of the
    policy hold; with less than was asked for because of one the exit code is 3.
    """
    from ragate.dataset import inspect_entries
    from ragate.pipeline.golden.drafting import choose_model
    from ragate.pipeline.golden.generate import generate
    from ragate.pipeline.run.corpus_texts import needed_texts

    if append == (output is not None):
        raise UsageError("where do the drafts go?", remedy="give --output FILE, or --append")
    if output is not None:
        refuse_overwriting(output, force=force)
    chosen = subject(file, config)
    loaded, operations = chosen.configured()
    texts = needed_texts(loaded, corpus, why="generate")
    entries, errors = inspect_entries(chosen.path) if chosen.path.exists() else ([], [])
    if append and errors:
        raise errors[0]
    generated = asyncio.run(
        generate(
            loaded,
            operations,
            texts,
            choose_model(loaded, provider, model),
            count=count,
            kinds=tuple(dict.fromkeys(kinds)) or KINDS,
            seed=seed,
            queries=[entry.sample.query for entry in entries],
        )
    )
    _write(generated.rows, output, chosen.path)
    return _tell(generated, output or chosen.path)


def _write(rows: list[dict[str, Any]], output: Path | None, path: Path) -> None:
    from ragate.dataset import open_golden, write_rows

    if not rows:
        return
    if output is not None:
        write_rows(output, rows)
        return
    golden = open_golden(path)
    for row in rows:
        golden.append(row)
    golden.save()


def _tell(generated: Generated, target: Path) -> int:
    for row in generated.rows:
        click.echo(f"{row['id']} ({row['metadata']['kind']})  {one_line(row['query'])}")
    for reason, count in sorted(generated.dropped.items()):
        click.echo(f"dropped: {count} ({one_line(reason)})")
    for reason in sorted(set(generated.replies.failed.values())):
        click.echo(f"failed: {one_line(reason)}", err=True)
    if generated.replies.stopped:
        click.echo(f"stopped: {one_line(generated.replies.stopped)}", err=True)
    click.echo(
        f"{target}: {plural(len(generated.rows), 'draft question')}; {spent(generated.replies)}"
    )
    if generated.rows:
        click.echo("no run asks a draft: `ragate dataset accept` lets it count")
    return 3 if generated.replies.stopped or generated.replies.failed or not generated.rows else 0
