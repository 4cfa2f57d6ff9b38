"""``ragate dataset vary``: drafts the same questions in other words, spellings and orders."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import (
    draft_options,
    file_argument,
    model_options,
    one_line,
    place_drafts,
    refuse_unplaced,
    spent,
    subject,
    tell_lacking,
    tell_placed,
)
from ragate.cli.options import config_option, ids_option
from ragate.errors import UsageError
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.pipeline.golden.vary import Varied

# As in the pipeline, without importing it for --help; a test compares them.
PARAPHRASE, DISTRACTORS = "paraphrase", "distractors"
KINDS = ("typos", "case", "word-order", PARAPHRASE, "reversed", "shuffled", DISTRACTORS)


@click.command("vary")
@file_argument
@config_option
@ids_option
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    required=True,
    type=click.Choice(KINDS),
    help="Which variants; may be repeated.",
)
@click.option(
    "--distractors",
    type=click.IntRange(1, 99),
    default=3,
    show_default=True,
    help="Passages that the kind distractors puts in.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Other typos and orders.")
@model_options
@draft_options
def command(
    *,
    file: Path | None,
    config: Path | None,
    ids: tuple[str, ...],
    kinds: tuple[str, ...],
    distractors: int,
    seed: int,
    provider: str,
    model: str,
    output: Path | None,
    append: bool,
    force: bool,
) -> int:
    """Draft variants of the questions of FILE: docs/metrics.md says what is measured by them.

    Every variant is a draft: no run asks it before `ragate dataset accept`. Only `paraphrase` asks
    a model, one of the policy, under its caps; with less than was asked for because of one the
    exit code is 3.
    \f

    For example `ragate dataset vary --kind typos --kind shuffled --append`. Read the drafts: a
    turned or mistyped question may ask something else.

    | kind | variant |
    | --- | --- |
    | `typos` | one to three slips in plain words; numbers, names with signs and initials stay |
    | `case` | small letters; capitals where it is small already |
    | `word-order` | its second part first |
    | `paraphrase` | other words; dropped where a number of the question is lost |
    | `reversed`, `shuffled` | the passages in another order, the same one every time |
    | `distractors` | passages of other documents between them |

    The last three need a system that takes [passages](metrics.md). A variant takes over tags,
    metadata and all that is expected, but for `must_pass` and evidence. One that is there already
    is not written again.
    """
    from ragate.dataset import read_entries
    from ragate.dataset.edit import open_golden
    from ragate.pipeline.golden.drafting import choose_model
    from ragate.pipeline.golden.vary import (
        Varied,
        paraphrased,
        vary_without_model,
        wanted_variants,
    )
    from ragate.pipeline.run.corpus_texts import by_id

    kinds = tuple(dict.fromkeys(kinds))
    refuse_unplaced(output, append=append, force=force)
    if PARAPHRASE not in kinds and (provider or model):
        raise UsageError(
            "--provider and --model are for the kind paraphrase", remedy="leave it out"
        )
    chosen = subject(file, config)
    entries = read_entries(chosen.path)
    if append:
        open_golden(chosen.path)  # a format that cannot be changed is found before anything is paid
    varied = Varied()
    wanted = wanted_variants(entries, by_id(entries, ids), kinds, varied, distractors)
    vary_without_model(wanted, varied, seed=seed)
    if PARAPHRASE in kinds:
        loaded, operations = chosen.configured()
        named = choose_model(loaded, provider, model)
        asyncio.run(paraphrased(loaded, operations, named, wanted, varied))
    place_drafts(varied.rows, output, chosen.path)
    return _tell(varied, output or chosen.path, apart=output is not None)


def _tell(varied: Varied, target: Path, *, apart: bool) -> int:
    for row in varied.rows:
        click.echo(f"{one_line(row['id'])}  {row.get('arrange') or one_line(row['query'])}")
    tell_lacking(varied.replies, varied.dropped, "left out")
    cost = f"; {spent(varied.replies)}" if varied.replies.calls else ""
    tell_placed(varied.rows, "draft variant", target, cost)
    if varied.rows and apart:
        click.echo("a variant counts only in one file with the question that it varies")
    return NO_DECISION if varied.replies.stopped or varied.replies.failed else 0
