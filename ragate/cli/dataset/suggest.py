"""``ragate dataset suggest``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.accepted_labels import (
    accept_labels,
    apply_labels,
    ask_each,
    save_labels,
    write_review,
)
from ragate.cli.dataset.shared import (
    ToolInput,
    corpus_option,
    file_argument,
    ids_option,
    json_option,
    one_line,
    refuse_replacing,
    subject,
    words,
)
from ragate.cli.options import config_option
from ragate.cli.streams import run_aside
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.pipeline.golden.suggest import Suggestion

_TEXT = 160
_PATH = click.Path(path_type=Path, dir_okay=False)


@click.command("suggest")
@file_argument
@config_option
@ids_option
@click.option("--all", "everything", is_flag=True, help="Also questions with expected documents.")
@click.option("--top", type=click.IntRange(1, 100), default=5, show_default=True, help="Documents.")
@click.option(
    "--system",
    type=click.Choice(("configured", "bm25")),
    default="configured",
    show_default=True,
    help="Whose retrieval proposes.",
)
@corpus_option
@click.option("--accept", multiple=True, metavar="ID:DOC", help="Label this; may be repeated.")
@click.option("--review", type=_PATH, help="Write the proposals to a file with boxes to tick.")
@click.option(
    "--apply",
    "applied",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
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
    """
    _one_way(accept, review, applied, interactive, as_json)
    chosen = subject(file, config)
    if accept:
        return accept_labels(chosen, accept, corpus)
    if applied is not None:
        return apply_labels(chosen, applied, corpus)
    if review is not None:
        refuse_replacing(review, force=force)
    suggestions = _suggest(
        chosen, words(ids), everything=everything, top=top, system=system, corpus=corpus
    )
    if review is not None:
        return write_review(chosen.path, review, suggestions)
    if interactive:
        return save_labels(chosen.path, ask_each(suggestions, _prompt))
    if as_json:
        click.echo(json.dumps([asdict(suggestion) for suggestion in suggestions], indent=2))
    else:
        click.echo("\n".join(_lines(chosen.path, suggestions)))
    return 3 if suggestions and all(suggestion.error for suggestion in suggestions) else 0


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
    from ragate.dataset import read_entries
    from ragate.pipeline.golden.suggest import suggest
    from ragate.pipeline.run.corpus_texts import by_id

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
