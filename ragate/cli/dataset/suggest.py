"""``ragate dataset suggest``."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
from ragate.cli.finding import plural
from ragate.cli.options import config_option
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
        return _accept(chosen, accept, corpus)
    if applied is not None:
        return _apply(chosen, applied, corpus)
    if review is not None:
        refuse_replacing(review, force=force)
    found = _suggest(
        chosen, words(ids), everything=everything, top=top, system=system, corpus=corpus
    )
    if review is not None:
        return _write_review(chosen.path, review, found)
    if interactive:
        return _save(chosen.path, ask_each(found, _prompt))
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
    else:
        click.echo("\n".join(_lines(chosen.path, found)))
    return 3 if found and all(one.error for one in found) else 0


def _one_way(*given: object) -> None:
    if sum(bool(one) for one in given) > 1:
        raise UsageError(
            "--accept, --review, --apply, --interactive and --json exclude one another",
            remedy="give one of them",
        )
    if given[3] and not sys.stdin.isatty():
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
    wanted = [
        entry.sample
        for entry in entries
        if ids or everything or (entry.sample.answerable and not entry.sample.expected)
    ]
    if not wanted:
        return []
    work = suggest(loaded, operations, wanted, top=top, system=system, corpus=corpus)
    return asyncio.run(work)


def _lines(path: Path, found: Sequence[Suggestion]) -> Iterator[str]:
    if not found:
        yield f"{path}: every answerable question has an expected document; --all proposes anyway"
        return
    for one in found:
        yield from _shown(one)
    yield f"nothing was written; accept with: ragate dataset suggest {path} --accept ID:DOC"


def _shown(one: Suggestion) -> Iterator[str]:
    yield f"{one_line(one.sample_id, 200)}  {one_line(one.query, 300)}"
    if one.error or not one.proposals:
        yield f"    nothing was retrieved{': ' + one_line(one.error) if one.error else ''}"
    for proposal in one.proposals:
        score = "" if proposal.score is None else f"  {proposal.score:.4g}"
        mark = "  (labelled)" if proposal.doc_id in one.labelled else ""
        yield f"  {proposal.rank:>3}  {one_line(proposal.doc_id, 200)}{score}{mark}"
        yield f"       {one_line(proposal.text, _TEXT)}"


def _accept(chosen: ToolInput, accept: Sequence[str], corpus: Path | None) -> int:
    from ragate.dataset import read_entries
    from ragate.pipeline.golden.accepting import parse_pairs

    entries = {entry.sample.id: entry for entry in read_entries(chosen.path)}
    grades: dict[str, dict[str, int]] = {}
    for sample_id, doc_id in parse_pairs(accept, entries):
        graded = entries[sample_id].sample.relevant.get(doc_id, 0)
        grades.setdefault(sample_id, {})[doc_id] = max(graded, 1)
    _refuse_unknown(chosen, grades, corpus)
    return _save(chosen.path, grades)


def _apply(chosen: ToolInput, applied: Path, corpus: Path | None) -> int:
    from ragate.dataset import read_entries
    from ragate.pipeline.golden.review import read_review

    entries = {entry.sample.id: entry for entry in read_entries(chosen.path)}
    grades = read_review(applied, entries)
    _refuse_unknown(chosen, grades, corpus)
    return _save(chosen.path, grades)


def _refuse_unknown(
    chosen: ToolInput, grades: dict[str, dict[str, int]], corpus: Path | None
) -> None:
    """Raise for a document that the corpus does not hold, where that can be told."""
    from ragate.pipeline.run.corpus_texts import corpus_texts
    from ragate.support.settings import nearest

    texts = corpus_texts(chosen.config, corpus)
    for given in grades.values():
        for doc_id in given:
            if texts is not None and doc_id not in texts:
                hint = nearest(doc_id, texts) if len(texts) < 1000 else ""
                raise UsageError(f"the corpus holds no document {doc_id!r}{hint}")


def _write_review(path: Path, review: Path, found: Sequence[Suggestion]) -> int:
    from ragate.pipeline.golden.review import review_text
    from ragate.support.atomic_files import write_atomic

    write_atomic(review, review_text(path, found).encode())
    click.echo(f"{review}: {plural(len(found), 'question')}; tick the boxes, then")
    click.echo(f"  ragate dataset suggest {path} --apply {review}")
    return 0


def _save(path: Path, grades: dict[str, dict[str, int]]) -> int:
    from ragate.pipeline.golden.accepting import write_labels

    count = write_labels(path, grades) if grades else 0
    said = f"{plural(count, 'label')} written" if count else "nothing new was accepted; unchanged"
    click.echo(f"{path}: {said}")
    return 0


def ask_each(
    found: Sequence[Suggestion], prompt: Callable[[Suggestion], str]
) -> dict[str, dict[str, int]]:
    """Return the documents that a person names by their ranks, question by question.

    Args:
        prompt: Shows one question and returns what was typed: ranks, "" for none, q to stop.
    """
    grades: dict[str, dict[str, int]] = {}
    for one in found:
        ranks = {str(proposal.rank): proposal.doc_id for proposal in one.proposals}
        while True:
            typed = prompt(one).replace(",", " ").split()
            if typed == ["q"]:
                return grades
            if all(word in ranks for word in typed):
                break
            click.echo(f"  type numbers from {', '.join(ranks)}, nothing, or q to stop")
        if typed:
            grades[one.sample_id] = {ranks[word]: 1 for word in typed}
    return grades


def _prompt(one: Suggestion) -> str:
    click.echo("\n".join(_shown(one)))
    typed: str = click.prompt(
        "accept (numbers; empty: none; q: stop)", default="", prompt_suffix=" > "
    )
    return typed
