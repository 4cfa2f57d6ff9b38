"""``ragate dataset evidence``."""

from pathlib import Path

import click

from ragate.cli.dataset.shared import (
    corpus_option,
    file_argument,
    one_line,
    subject,
)
from ragate.cli.finding import plural
from ragate.cli.options import config_option, ids_option


@click.command("evidence")
@file_argument
@config_option
@corpus_option
@ids_option
@click.option("--renew", is_flag=True, help="Also replace evidence that no longer stands.")
@click.option("--hash-only", is_flag=True, help="Write hashes, no quotes.")
@click.option("--dry-run", is_flag=True, help="Show the passages, write nothing.")
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    ids: tuple[str, ...],
    renew: bool,
    hash_only: bool,
    dry_run: bool,
) -> int:
    """Record in FILE which passage of each expected document its answer rests on.

    The passage is the paragraph that shares most words with the references, else with the
    question. From then on `validate` and every report say when a document no longer holds it.
    Evidence that still stands is never touched.
    \f

    See [Stale references](growing.md).
    """
    from ragate.dataset import read_entries
    from ragate.pipeline.golden.evidence import propose, record
    from ragate.pipeline.run.corpus_texts import by_id, needed_texts

    chosen = subject(file, config)
    texts = needed_texts(chosen.config, corpus, why="evidence")
    records = propose(by_id(read_entries(chosen.path), ids), texts, renew=renew)
    for row in records:
        for doc_id, text in row.passages.items():
            click.echo(one_line(f"{row.entry.sample.id}: {doc_id}: {text}", 240))
    new = sum(len(row.passages) for row in records)
    kept_count = sum(len(row.kept) for row in records)
    if not dry_run:
        record(chosen.path, records, hash_only=hash_only)
    outcome = "found" if dry_run else "recorded"
    click.echo(f"{chosen.path}: {plural(new, 'passage')} {outcome}, {kept_count} kept as they were")
    if dry_run:
        click.echo("nothing was written: leave out --dry-run to record them")
    return 0
