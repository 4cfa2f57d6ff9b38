"""``ragate dataset validate``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import corpus_option, file_argument, json_option, one_line, subject
from ragate.cli.finding import plural
from ragate.cli.options import config_option

if TYPE_CHECKING:
    from ragate.pipeline.golden.golden_issues import Issue
    from ragate.pipeline.golden.validate import Validation

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
@click.option("--strict", is_flag=True, help="Warnings end with exit code 2 too.")
@json_option
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    similar: float,
    strict: bool,
    as_json: bool,
) -> int:
    """Say what is wrong or doubtful in FILE, by default the golden set of ragate.toml.

    Errors: what cannot be read, an id that stands twice, an expected document that the corpus does
    not hold. Warnings: questions asked twice or nearly so, samples without a label, evidence that
    changed. Exits with 2 where there is an error; with 0 else, and with --strict only without
    warnings.
    """
    from ragate.pipeline.golden.validate import validate
    from ragate.pipeline.run.corpus_texts import corpus_texts

    chosen = subject(file, config)
    texts = corpus_texts(chosen.config, corpus)
    found = validate(chosen.path, texts, similar=similar)
    click.echo(_json(found) if as_json else "\n".join(_lines(found)))
    return 2 if found.errors or (strict and found.warnings) else 0


def _json(found: Validation) -> str:
    facts = {
        "file": str(found.path),
        "errors": found.errors,
        "warnings": found.warnings,
        "documents": found.documents,
        "counts": found.counts,
        "tags": found.tags,
        "issues": [asdict(issue) for issue in found.issues],
    }
    return json.dumps(facts, indent=2)


def _lines(found: Validation) -> Iterator[str]:
    counts = {name.replace("_", " "): count for name, count in found.counts.items()}
    yield f"{found.path}: {plural(counts.pop('samples'), 'sample')}"
    yield "  " + ", ".join(f"{count} {name}" for name, count in counts.items())
    if found.tags:
        some = [f"{one_line(tag, 60)} {count}" for tag, count in found.tags.items()]
        more = f" and {len(some) - _TAGS} more" if len(some) > _TAGS else ""
        yield f"  tags: {', '.join(some[:_TAGS])}{more}"
    if found.documents is None:
        yield "  expected documents: not checked, this system does not tell its documents; --corpus"
    for (level, kind), group in groupby(
        sorted(found.issues, key=lambda one: (one.level, one.kind)),
        key=lambda one: (one.level, one.kind),
    ):
        yield from _group(f"{level}: {kind.replace('-', ' ')}", list(group))
    yield f"{plural(found.errors, 'error')}, {plural(found.warnings, 'warning')}"


def _group(title: str, issues: list[Issue]) -> Iterator[str]:
    yield f"{title} ({len(issues)})"
    for issue in issues[:SHOWN]:
        who = f"{issue.sample_id}: " if issue.sample_id else ""
        yield f"  {issue.place}: {one_line(who + issue.message, 500)}"
    if len(issues) > SHOWN:
        yield f"  and {len(issues) - SHOWN} more; --json lists all"
    if issues[0].remedy:
        yield f"  -> {one_line(issues[0].remedy, 300)}"
