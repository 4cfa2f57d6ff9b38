"""``ragate dataset suggest`` and ``accept``: what is proposed, and what a person lets count."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import (
    ToolInput,
    corpus_option,
    file_argument,
    one_line,
    refuse_replacing,
    subject,
)
from ragate.cli.finding import plural
from ragate.cli.options import (
    EXISTING_FILE,
    FILE,
    comma_words,
    config_option,
    ids_option,
    json_option,
)
from ragate.cli.streams import run_aside
from ragate.errors import UsageError
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.contrib.golden.suggest import Suggestion


_TEXT = 160


@click.command("suggest")
@file_argument
@config_option
@ids_option
@click.option("--all", "everything", is_flag=True, help="Also questions with expected documents.")
@click.option(
    "--top",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    help="Most documents for a question.",
)
@click.option(
    "--system",
    type=click.Choice(("configured", "bm25")),
    default="configured",
    show_default=True,
    help="Whose retrieval proposes.",
)
@corpus_option
@click.option("--accept", multiple=True, metavar="ID:DOC", help="Label this; may be repeated.")
@click.option("--review", type=FILE, help="Write the proposals to a file with boxes to tick.")
@click.option(
    "--apply",
    "applied",
    type=EXISTING_FILE,
    help="Write the labels that were ticked in a review file.",
)
@click.option("--interactive", "-i", is_flag=True, help="Ask about each question.")
@click.option("--force", is_flag=True, help="Replace the review file where it is there already.")
@json_option
def command(
    *,
    file: Path | None,
    config: Path | None,
    ids: tuple[str, ...],
    everything: bool,
    top: int,
    system: str,
    corpus: Path | None,
    accept: tuple[str, ...],
    review: Path | None,
    applied: Path | None,
    interactive: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Propose expected documents for questions that have none, with ranks and text.

    A retrieval proposes, and a person accepts: with --accept, in a review file, or one by one with
    --interactive. Nothing else is ever written to FILE, by default the golden set of ragate.toml.
    What a retrieval did not find it cannot propose: look for further documents yourself.
    \f

    ```bash
    ragate dataset suggest                                # look
    ragate dataset suggest --accept q1:refunds.md         # label one, by hand
    ragate dataset suggest --review review.md             # a file with a box for each proposal …
    ragate dataset suggest --apply review.md              # … and the labels that you ticked in it
    ```

    A box takes an `x` (grade 1) or a grade: `[2]`, or `[0]` for not relevant. Refused: a review of
    a question that was edited since, and a document that the corpus does not hold. Ends with 3
    where every retrieval failed.
    """
    _one_way(accept, review, applied, interactive, as_json)
    chosen = subject(file, config)
    if accept or applied is not None:
        grades = _given_labels(chosen, accept, applied)
        _refuse_unknown(chosen, grades, corpus)
        return save_labels(chosen.path, grades)
    if review is not None:
        refuse_replacing(review, force=force)
    suggestions = _suggest(
        chosen, ids, everything=everything, top=top, system=system, corpus=corpus
    )
    if review is not None:
        return write_review(chosen.path, review, suggestions)
    if interactive:
        return save_labels(chosen.path, ask_each(suggestions, _prompt))
    if as_json:
        click.echo(json.dumps([asdict(suggestion) for suggestion in suggestions], indent=2))
    else:
        click.echo("\n".join(_lines(chosen.path, suggestions)))
    return NO_DECISION if suggestions and all(suggestion.error for suggestion in suggestions) else 0


def _one_way(*options: object) -> None:
    if sum(bool(option) for option in options) > 1:
        raise UsageError(
            "--accept, --review, --apply, --interactive and --json exclude one another",
            remedy="give one of them",
        )
    if options[3] and not sys.stdin.isatty():
        raise UsageError("--interactive needs a terminal", remedy="use --review FILE, or --accept")


def _suggest(
    chosen: ToolInput,
    ids: tuple[str, ...],
    *,
    everything: bool,
    top: int,
    system: str,
    corpus: Path | None,
) -> list[Suggestion]:
    from ragate.answers.corpus_texts import by_id
    from ragate.contrib.golden.suggest import suggest
    from ragate.dataset import read_entries

    loaded, operations = chosen.configured()
    entries = by_id(read_entries(chosen.path), ids)
    samples = [
        entry.sample
        for entry in entries
        if ids or everything or (entry.sample.answerable and not entry.sample.expected)
    ]
    if not samples:
        return []
    work = suggest(loaded, operations, samples, top=top, system=system, corpus=corpus)
    return run_aside(work)


def _lines(path: Path, suggestions: Sequence[Suggestion]) -> Iterator[str]:
    if not suggestions:
        yield f"{path}: every answerable question has an expected document; --all proposes anyway"
        return
    for suggestion in suggestions:
        yield from _shown(suggestion)
    command = f"ragate dataset suggest {quote(str(path))} --accept ID:DOC"
    yield f"nothing was written; accept with: {command}"


def _shown(suggestion: Suggestion) -> Iterator[str]:
    yield f"{one_line(suggestion.sample_id, 200)}  {one_line(suggestion.query, 300)}"
    if suggestion.error or not suggestion.proposals:
        reason = f": {one_line(suggestion.error)}" if suggestion.error else ""
        yield f"    nothing was retrieved{reason}"
    for proposal in suggestion.proposals:
        score = "" if proposal.score is None else f"  {proposal.score:.4g}"
        mark = "  (labelled)" if proposal.doc_id in suggestion.labelled else ""
        yield f"  {proposal.rank:>3}  {one_line(proposal.doc_id, 200)}{score}{mark}"
        yield f"       {one_line(proposal.text, _TEXT)}"


def _prompt(suggestion: Suggestion) -> str:
    click.echo("\n".join(_shown(suggestion)))
    typed: str = click.prompt(
        "accept (numbers; empty: none; q: stop)", default="", prompt_suffix=" > "
    )
    return typed


def _given_labels(
    chosen: ToolInput, accept: Sequence[str], applied: Path | None
) -> dict[str, dict[str, int]]:
    """Return the grades that a review file ticks, or those that ``--accept`` names without one."""
    from ragate.contrib.golden.suggest import parse_pairs, read_review
    from ragate.dataset import read_entries

    entries = {entry.sample.id: entry for entry in read_entries(chosen.path)}
    if applied is not None:
        return read_review(applied, entries)
    grades: dict[str, dict[str, int]] = {}
    for sample_id, doc_id in parse_pairs(accept, entries):
        graded = entries[sample_id].sample.relevant.get(doc_id, 0)
        grades.setdefault(sample_id, {})[doc_id] = max(graded, 1)
    return grades


def _refuse_unknown(
    chosen: ToolInput, grades: dict[str, dict[str, int]], corpus: Path | None
) -> None:
    """Raise for a document that the corpus does not hold, where that can be told."""
    from ragate.answers.corpus_texts import corpus_texts
    from ragate.settings import nearest

    texts = corpus_texts(chosen.config, corpus)
    for labels in grades.values():
        for doc_id in labels:
            if texts is not None and doc_id not in texts:
                hint = nearest(doc_id, texts) if len(texts) < 1000 else ""
                raise UsageError(
                    f"the corpus holds no document {doc_id!r}{hint}",
                    remedy="name a document by its path below the corpus folder, or give the "
                    "folder with --corpus",
                )


def write_review(path: Path, review: Path, suggestions: Sequence[Suggestion]) -> int:
    """Write the proposals with boxes to tick."""
    from ragate.contrib.golden.suggest import review_text
    from ragate.files.atomic_files import write_atomic

    write_atomic(review, review_text(path, suggestions).encode())
    click.echo(f"{review}: {plural(len(suggestions), 'question')}; tick the boxes, then")
    click.echo(f"  ragate dataset suggest {quote(str(path))} --apply {quote(str(review))}")
    return 0


def save_labels(path: Path, grades: dict[str, dict[str, int]]) -> int:
    """Write labels into the golden set, and say how many are new."""
    from ragate.contrib.golden.suggest import write_labels

    count = write_labels(path, grades) if grades else 0
    outcome = (
        f"{plural(count, 'label')} written" if count else "nothing new was accepted; unchanged"
    )
    click.echo(f"{path}: {outcome}")
    return 0


def ask_each(
    suggestions: Sequence[Suggestion], prompt: Callable[[Suggestion], str]
) -> dict[str, dict[str, int]]:
    """Return the documents that a person names by their ranks, question by question.

    Args:
        prompt: Shows one question and returns what was typed: ranks, "" for none, q to stop.
    """
    grades: dict[str, dict[str, int]] = {}
    for suggestion in suggestions:
        ranks = {str(proposal.rank): proposal.doc_id for proposal in suggestion.proposals}
        while True:
            typed = prompt(suggestion).replace(",", " ").split()
            if typed == ["q"]:
                return grades
            if all(word in ranks for word in typed):
                break
            click.echo(f"  type numbers from {', '.join(ranks)}, nothing, or q to stop")
        if typed:
            grades[suggestion.sample_id] = {ranks[word]: 1 for word in typed}
    return grades


@click.command("accept")
@click.argument("ids", nargs=-1, callback=comma_words)
@click.option(
    "--file",
    type=EXISTING_FILE,
    help="The golden set; default: that of ragate.toml.",
)
@config_option
@click.option("--all", "everything", is_flag=True, help="Every draft of the golden set.")
@click.option("--reject", is_flag=True, help="Remove the drafts instead.")
def accept_command(
    *, ids: tuple[str, ...], file: Path | None, config: Path | None, everything: bool, reject: bool
) -> int:
    """Let the drafts of the samples IDS count: drafted samples and drafted references.

    Read them first: `ragate dataset accept` without ids shows every draft and writes nothing.
    \f

    What is no draft is left alone.
    """
    from ragate.contrib.golden.suggest import accept_drafts
    from ragate.dataset import read_entries

    path = subject(file, config).path
    drafts = [entry for entry in read_entries(path) if entry.draft or entry.drafted]
    if ids and everything:
        raise UsageError("ids and --all exclude one another", remedy="leave out --all, or the ids")
    if not ids and not everything:
        for entry in drafts:
            kind = "draft sample" if entry.draft else "draft reference"
            click.echo(f"{one_line(entry.sample.id, 200)} ({kind})  {one_line(entry.sample.query)}")
            for text in (*entry.sample.references, *entry.drafted):
                click.echo(f"    {one_line(text, 500)}")
        click.echo(f"{path}: {plural(len(drafts), 'sample')} with a draft; nothing was written")
        if drafts:
            click.echo(
                "`ragate dataset accept ID …` lets those count, `--all` all of them; with "
                "`--reject` they are removed"
            )
        return 0
    chosen_ids = [entry.sample.id for entry in drafts] if everything else list(ids)
    for sample_id, outcome in accept_drafts(path, chosen_ids, reject=reject).items():
        click.echo(f"{one_line(sample_id, 200)}: {outcome}")
    return 0
