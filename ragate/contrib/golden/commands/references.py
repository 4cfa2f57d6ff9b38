"""``ragate dataset references``."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import corpus_option, file_argument, one_line, subject
from ragate.cli.finding import plural
from ragate.cli.options import config_option, ids_option
from ragate.contrib.golden.commands.drafts import model_options, spent
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.contrib.golden.drafting import Drafts


@click.command("references")
@file_argument
@config_option
@corpus_option
@ids_option
@model_options
@click.option("--dry-run", is_flag=True, help="Show the drafts, write nothing.")
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    ids: tuple[str, ...],
    provider: str,
    model: str,
    dry_run: bool,
) -> int:
    """Draft reference answers from the expected documents, with a chat model of the policy.

    For answerable samples that have expected documents and no reference. Each draft is marked as
    one in FILE and counts for no metric before `ragate dataset accept`. The caps of the policy
    hold; what was drafted before one was reached is kept, and the exit code is 3.
    \f

    What the documents do not answer, as far as the model can tell, gets no draft. Repeated requests
    cost nothing.
    """
    from ragate.answers.corpus_texts import by_id, needed_texts
    from ragate.contrib.golden.drafting import choose_model, draft_references, write_drafts
    from ragate.contrib.golden.golden_file import open_golden
    from ragate.dataset import read_entries

    chosen = subject(file, config)
    loaded, operations = chosen.configured()
    texts = needed_texts(loaded, corpus, why="references")
    entries = by_id(read_entries(chosen.path), ids)
    if not dry_run:
        open_golden(chosen.path)  # a format that cannot be changed is found before anything is paid
    chosen_model = choose_model(loaded, provider, model)
    drafts = asyncio.run(draft_references(loaded, operations, entries, texts, chosen_model))
    for sample_id, text in drafts.texts.items():
        click.echo(f"{one_line(sample_id, 200)}: {one_line(text, 500)}")
    if not dry_run and drafts.texts:
        write_drafts(chosen.path, entries, drafts.texts, chosen_model)
    _tell(drafts)
    outcome = "shown, nothing was written" if dry_run else "written, to be accepted"
    click.echo(
        f"{chosen.path}: {plural(len(drafts.texts), 'draft')} {outcome}; {spent(drafts.replies)}"
    )
    if drafts.texts:
        click.echo(
            "leave out --dry-run to write them"
            if dry_run
            else "no metric reads a draft: `ragate dataset accept` lets it count"
        )
    return NO_DECISION if drafts.replies.stopped or drafts.replies.failed else 0


def _tell(drafts: Drafts) -> None:
    for reason, count in sorted(Counter(drafts.skipped.values()).items()):
        click.echo(f"not asked: {count} ({reason})")
    for sample_id in drafts.unanswered:
        click.echo(f"{one_line(sample_id, 200)}: the documents do not answer it, says the model")
    for sample_id, reason in drafts.replies.failed.items():
        click.echo(f"{one_line(sample_id, 200)}: no draft: {one_line(reason)}", err=True)
    if drafts.replies.stopped:
        click.echo(f"stopped: {one_line(drafts.replies.stopped)}", err=True)
