"""``ragate dataset validate``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import corpus_option, file_argument, one_line, subject
from ragate.cli.finding import plural
from ragate.cli.options import EXISTING_FILE, config_option, json_option

if TYPE_CHECKING:
    from ragate.pipeline.golden.validate import Issue, Validation

SHOWN = 20  # issues of one kind
_TAGS = 30


@click.command("validate")
@file_argument
@config_option
@corpus_option
@click.option(
    "--similar",
    type=click.FloatRange(0.7, 1.0),
    default=0.8,
    show_default=True,
    help="From which similarity two questions are nearly the same.",
)
@click.option(
    "--reviews",
    type=EXISTING_FILE,
    help="Labels of `ragate review`; default: review-labels.jsonl beside the golden set, if there.",
)
@click.option("--strict", is_flag=True, help="Warnings end with exit code 2 too.")
@json_option
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    similar: float,
    reviews: Path | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Say what is wrong or doubtful in FILE, by default the golden set of ragate.toml.

    Errors: what cannot be read, an id that stands twice, an expected document that the corpus does
    not hold. Warnings: questions asked twice or nearly so, samples without a label, evidence that
    changed, references that a review called stale. Exits with 2 where there is an error; with 0
    else, and with --strict only without warnings.
    \f

    One broken line hides no other. Two questions are nearly the same where the Jaccard similarity
    of their three-character sequences reaches 0.8, case and punctuation aside; questions with
    different numbers are never alike.

    | finding | level | meaning |
    | --- | --- | --- |
    | schema | error | a line cannot be read, a field is unknown or wrong, an id stands twice |
    | unknown document | error | an expected document is not in the corpus |
    | duplicate query | warning | asks the same as another, but for case and spaces |
    | near duplicate | warning | asks nearly the same as an earlier one |
    | nothing to score | warning | answerable, without an expected document and a reference |
    | contradiction | warning | unanswerable, with an expected document or a reference |
    | stale evidence | warning | a document no longer holds the passage that the answer rests on |
    | stale reference | warning | a person called it stale in a [review](calibrate.md) |
    | variant | warning | a [variant](metrics.md) of a question that is not there |
    | evidence | warning | its hash is not its quote's, or its document is not expected |
    """
    from ragate.dataset.labels import labels_beside, read_review_labels
    from ragate.pipeline.golden.validate import validate
    from ragate.pipeline.run.corpus_texts import corpus_texts

    chosen = subject(file, config)
    texts = corpus_texts(chosen.config, corpus)
    beside = labels_beside(chosen.path)
    path = reviews or (beside if beside.is_file() else None)
    labels = read_review_labels(path) if path is not None else []
    validation = validate(chosen.path, texts, similar=similar, reviews=labels)
    click.echo(_json(validation) if as_json else "\n".join(_lines(validation)))
    return 2 if validation.errors or (strict and validation.warnings) else 0


def _json(validation: Validation) -> str:
    facts = {
        "file": str(validation.path),
        "errors": validation.errors,
        "warnings": validation.warnings,
        "documents": validation.documents,
        "counts": validation.counts,
        "tags": validation.tags,
        "issues": [asdict(issue) for issue in validation.issues],
    }
    return json.dumps(facts, indent=2)


def _lines(validation: Validation) -> Iterator[str]:
    counts = {name.replace("_", " "): count for name, count in validation.counts.items()}
    yield f"{validation.path}: {plural(counts.pop('samples'), 'sample')}"
    yield "  " + ", ".join(f"{count} {name}" for name, count in counts.items())
    if validation.tags:
        tags = [f"{one_line(tag, 60)} {count}" for tag, count in validation.tags.items()]
        unlisted = f" and {len(tags) - _TAGS} more" if len(tags) > _TAGS else ""
        yield f"  tags: {', '.join(tags[:_TAGS])}{unlisted}"
    if validation.documents is None:
        yield "  expected documents: not checked, this system does not tell its documents; --corpus"
    for (level, kind), group in groupby(
        sorted(validation.issues, key=lambda issue: (issue.level, issue.kind)),
        key=lambda issue: (issue.level, issue.kind),
    ):
        yield from _group(f"{level}: {kind.replace('-', ' ')}", list(group))
    yield f"{plural(validation.errors, 'error')}, {plural(validation.warnings, 'warning')}"


def _group(title: str, issues: list[Issue]) -> Iterator[str]:
    yield f"{title} ({len(issues)})"
    for issue in issues[:SHOWN]:
        who = f"{issue.sample_id}: " if issue.sample_id else ""
        yield f"  {issue.place}: {one_line(who + issue.message, 500)}"
    if len(issues) > SHOWN:
        yield f"  and {len(issues) - SHOWN} more; --json lists all"
    if issues[0].remedy:
        yield f"  -> {one_line(issues[0].remedy, 300)}"
