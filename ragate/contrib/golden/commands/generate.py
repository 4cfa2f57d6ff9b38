"""``ragate dataset generate``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.dataset.shared import ToolInput, corpus_option, file_argument, one_line, subject
from ragate.cli.options import config_option
from ragate.contrib.golden.commands.drafts import (
    draft_options,
    model_options,
    place_drafts,
    refuse_unplaced,
    spent,
    tell_lacking,
    tell_placed,
)
from ragate.errors import UsageError
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.contrib.golden.generate import Generated
    from ragate.dataset import Entry

_BARE = 20  # documents without a draft that are named
# As in the pipeline, without importing it for --help; a test compares them.
KINDS = ("simple", "multi-document", "distracting", "unanswerable")


@click.command("generate")
@file_argument
@config_option
@corpus_option
@click.option(
    "--count",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="Questions to ask for.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Only this kind, for a model; default: all take turns.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Take other documents.")
@click.option(
    "--from-diff",
    "base",
    metavar="BASE",
    help="Only documents that differ from this commit and that no question expects; without "
    "--provider and --model from their headings and definitions, with no model call.",
)
@model_options
@draft_options
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    count: int,
    kinds: tuple[str, ...],
    seed: int,
    base: str | None,
    provider: str,
    model: str,
    output: Path | None,
    append: bool,
    force: bool,
) -> int:
    """Draft questions from the documents, with a chat model of the policy or, of a diff, without.

    Every question is a draft: no run asks it before `ragate dataset accept`. One whose quotes do
    not stand in its documents is dropped, and so is one that FILE asks already. The caps of the
    policy hold; with less than was asked for because of one the exit code is 3.
    \f

    Each draft has the tag `generated`, its kind, and metadata `source = synthetic`. Questions of
    real users are better: [The golden set](golden-set.md).

    | kind | a question that |
    | --- | --- |
    | `simple` | one document answers |
    | `multi-document` | needs two documents that are alike |
    | `distracting` | one document answers, and that mentions what another one is about |
    | `unanswerable` | sounds as if the documents had an answer, and they have none |

    Read unanswerable ones with most care: nothing checks that no other document answers them.
    """
    from ragate.answers.corpus_texts import needed_texts
    from ragate.dataset import inspect_entries

    keyless = base is not None and not (provider or model)
    _refuse(keyless, kinds, output, append=append, force=force)
    chosen = subject(file, config)
    if not keyless:
        chosen.configured()
    texts = needed_texts(chosen.config, corpus, why="generate")
    entries, errors = inspect_entries(chosen.path) if chosen.path.exists() else ([], [])
    if append and errors:
        raise errors[0]
    edited = _edited_documents(chosen, corpus, texts, entries, base) if base is not None else None
    if edited is not None and not edited[0]:
        click.echo("nothing to draft: a question or a draft expects each document of this change")
        return 0
    queries = [entry.sample.query for entry in entries]
    if edited is not None and keyless:
        generated = _without_model(edited, texts, queries, count=count, seed=seed)
    else:
        asked = {"count": count, "kinds": kinds, "seed": seed, "queries": queries}
        documents = edited[0] if edited is not None else None
        generated = _by_model(chosen, texts, (provider, model), asked | {"documents": documents})
    place_drafts(generated.rows, output, chosen.path)
    return _tell(generated, output or chosen.path)


def _refuse(
    keyless: bool, kinds: tuple[str, ...], output: Path | None, *, append: bool, force: bool
) -> None:
    if keyless and kinds:
        raise UsageError("--kind is for a model", remedy="name one with --model, or leave it out")
    refuse_unplaced(output, append=append, force=force)


def _by_model(
    chosen: ToolInput, texts: dict[str, str], model: tuple[str, str], asked: dict[str, Any]
) -> Generated:
    from ragate.contrib.golden.drafting import choose_model
    from ragate.contrib.golden.generate import generate

    loaded, operations = chosen.configured()
    asked = asked | {"kinds": tuple(dict.fromkeys(asked["kinds"])) or KINDS}
    return asyncio.run(generate(loaded, operations, texts, choose_model(loaded, *model), **asked))


def _tell(generated: Generated, target: Path) -> int:
    for row in generated.rows:
        click.echo(f"{row['id']} ({row['metadata']['kind']})  {one_line(row['query'])}")
    replies = generated.replies
    tell_lacking(replies, generated.dropped, "dropped")
    if generated.too_weak:
        click.echo(
            f"the model is too weak: {replies.unusable} of {len(replies.texts)} "
            "replies were of no use, once more with the reason too; take a larger one by --model",
            err=True,
        )
    tell_placed(generated.rows, "draft question", target, f"; {spent(replies)}")
    is_whole = generated.rows and not (replies.stopped or replies.failed)
    return 0 if is_whole else NO_DECISION


def _edited_documents(
    chosen: ToolInput, corpus: Path | None, texts: dict[str, str], entries: list[Entry], base: str
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the documents that differ from `base` and no question or draft expects.

    Returns:
        Their ids, and the earlier text of each changed document.

    Raises:
        UsageError: git knows no such commit, or nobody tells where the documents are.
    """
    from ragate.contrib.golden.coverage import changed_documents, corpus_folder, to_draft_for

    changed = changed_documents(corpus_folder(chosen.config, corpus), texts, base)
    return to_draft_for(entries, texts, changed), changed.before


def _without_model(
    edited: tuple[tuple[str, ...], dict[str, str]],
    texts: dict[str, str],
    queries: list[str],
    *,
    count: int,
    seed: int,
) -> Generated:
    """Return drafts from headings and definitions; names the documents that have none."""
    from ragate.contrib.golden.drafting import DraftReplies
    from ragate.contrib.golden.generate import Generated, keyless_drafts, new_rows

    documents, before = edited
    rows = keyless_drafts(texts, documents, before, count=count, seed=seed)
    new = new_rows(rows, queries)
    twice = len(rows) - len(new)
    bare = set(documents) - {doc_id for row in new for doc_id in row["relevant"]}
    for doc_id in sorted(bare)[:_BARE]:
        click.echo(f"no draft: {one_line(doc_id)} (no new heading or definition, or --count)")
    dropped = {"nearly the same as another question": twice} if twice else {}
    return Generated(new, dropped, DraftReplies())
