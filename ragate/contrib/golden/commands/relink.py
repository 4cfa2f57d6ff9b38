"""``ragate dataset relink``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import corpus_option, file_argument, one_line, subject
from ragate.cli.options import comma_words, config_option, json_option
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.cli.dataset.shared import ToolInput
    from ragate.contrib.golden.relink import Lost

_TEXT = 160


@click.command("relink")
@file_argument
@config_option
@corpus_option
@click.option(
    "--accept",
    multiple=True,
    callback=comma_words,
    metavar="ID[=DOC]",
    help="Relink a sample or an old document to its best proposal, or to DOC.",
)
@click.option("--accept-all", is_flag=True, help="Relink all that is alike enough.")
@click.option(
    "--min-similarity",
    type=click.FloatRange(0.0, 1.0),
    help="For --accept-all, which needs it: least similarity.",
)
@click.option(
    "--respell",
    is_flag=True,
    help="Only ids that the system writes otherwise: its folder, ending, capitals.",
)
@json_option
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    accept: tuple[str, ...],
    accept_all: bool,
    min_similarity: float | None,
    respell: bool,
    as_json: bool,
) -> int:
    """Propose where expected documents went that the corpus no longer holds.

    Compared are, in this order: the old text in git, what the baseline stored of it, and at last
    the name alone, which is never accepted without DOC. Without --accept or --accept-all
    nothing is written to FILE, by default the golden set of ragate.toml. With --respell compared
    are the ids alone, with those of the documents or of the newest run; --accept-all writes them.
    \f

    For documents that were renamed, moved, cut up or merged. Similarity is the share of four-word
    sequences of the smaller text that the other text holds too; proposals below 0.3 are not shown.
    An ID is a sample, or an old document for all samples that expect it; the grade goes
    along. A system that does not tell its documents (`http`, `python`, …) needs `--corpus`.
    """
    from ragate.answers.corpus_texts import needed_texts
    from ragate.contrib.golden.relink import choose, choose_all, find_lost, relink, remember
    from ragate.dataset import read_entries

    if respell:
        if accept or min_similarity is not None:
            raise UsageError("--respell goes with --accept-all alone")
        return _respell(subject(file, config), corpus, write=accept_all, as_json=as_json)
    if accept_all != (min_similarity is not None) or (accept and accept_all):
        raise UsageError(
            "--accept-all and --min-similarity go together, and without --accept",
            remedy="give --accept ID, or --accept-all together with --min-similarity X",
        )
    chosen = subject(file, config)
    texts = needed_texts(chosen.config, corpus, why="relink")
    entries = read_entries(chosen.path)
    lost = find_lost(entries, texts, chosen.config, remember(chosen.config), corpus=corpus)
    if not accept and not accept_all:
        shown = [asdict(row) for row in lost]
        click.echo(json.dumps(shown, indent=2) if as_json else "\n".join(_lines(chosen.path, lost)))
        return 0
    names = choose(lost, accept, texts) if accept else choose_all(lost, min_similarity or 0)
    count = relink(chosen.path, entries, names) if names else 0
    for (sample_id, old), new in names.items():
        click.echo(one_line(f"{sample_id}: {old} -> {new}", 500))
    click.echo(f"{chosen.path}: {count} of {len(lost)} lost documents relinked")
    return 0


def _respell(chosen: ToolInput, corpus: Path | None, *, write: bool, as_json: bool) -> int:
    from ragate.answers.corpus_texts import corpus_texts
    from ragate.contrib.golden.relink import mismatch_of, relink, respellings
    from ragate.core.doc_ids import mismatch_words
    from ragate.dataset import read_entries
    from ragate.stores.local import LocalStore, open_store

    entries = read_entries(chosen.path)
    texts = corpus_texts(chosen.config, corpus)
    operations = chosen.operations
    store = open_store(operations) if operations else LocalStore(Path())
    mismatch = mismatch_of(entries, texts, chosen.config, store)
    names = respellings(entries, mismatch)
    if as_json:
        click.echo(
            json.dumps([{"id": key[0], "old": key[1], "new": new} for key, new in names.items()])
        )
    elif mismatch is not None:
        click.echo(one_line(mismatch_words(mismatch), 500))
    if write and names:
        relink(chosen.path, entries, names)
    for (sample_id, old), new in {} if as_json else names.items():
        click.echo(one_line(f"{sample_id}: {old} -> {new}", 500))
    if not as_json:
        click.echo(_respelt(chosen.path, len(names), written=write))
    return 0


def _respelt(path: Path, count: int, *, written: bool) -> str:
    if not count:
        return f"{path}: nothing to write otherwise"
    if written:
        return f"{path}: {count} expected documents written as the system does"
    command = f"ragate dataset relink {quote(str(path))} --respell --accept-all"
    return f"nothing was written; accept with: {command}"


def _lines(path: Path, lost: Sequence[Lost]) -> Iterator[str]:
    if not lost:
        yield f"{path}: the corpus holds every expected document; nothing to relink"
        return
    for row in lost:
        yield one_line(f"{row.sample_id}: {row.doc_id} is gone  ({row.query})", 400)
        if not row.candidates:
            yield "    nothing in the corpus is like it"
        for candidate in row.candidates:
            alike = f"{candidate.similarity:.2f} by {candidate.source}"
            yield f"    {alike}  {one_line(candidate.doc_id, 200)}"
            yield f"        {one_line(candidate.text, _TEXT)}"
    command = f"ragate dataset relink {quote(str(path))} --accept ID[=DOC]"
    yield f"nothing was written; accept with: {command}"
