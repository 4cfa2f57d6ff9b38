"""``ragate dataset validate``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial, wraps
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.dataset.shared import corpus_option, file_argument, one_line, subject
from ragate.cli.finding import plural
from ragate.cli.options import EXISTING_FILE, config_option, json_option
from ragate.extension import Extension, GoldenCheck, extensions, loaded

if TYPE_CHECKING:
    from ragate.dataset.checks.validate import Issue, Validation

SHOWN = 20  # issues of one kind
_TAGS = 30


def _check_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options of what extensions find; the command gets these as `checks`."""
    brought = [(each, check) for each in extensions() for check in each.golden_checks]

    @wraps(function)
    def command(**given: Any) -> int:
        checks = [
            (each, check, given.pop(f"check_{number}"))
            for number, (each, check) in enumerate(brought)
        ]
        return function(checks=checks, **given)

    for number, (_, check) in enumerate(brought):
        add = click.option(check.flag, f"check_{number}", type=EXISTING_FILE, help=check.says)
        command = add(command)
    return command


@click.command("validate")
@file_argument
@config_option
@corpus_option
@_check_options
@click.option("--strict", is_flag=True, help="Warnings end with exit code 2 too.")
@json_option
def command(
    *,
    file: Path | None,
    config: Path | None,
    corpus: Path | None,
    checks: Sequence[tuple[Extension, GoldenCheck, Path | None]],
    strict: bool,
    as_json: bool,
) -> int:
    """Say what is wrong or doubtful in FILE, by default the golden set of ragate.toml.

    Errors: what cannot be read, an id that stands twice, an expected document that the corpus does
    not hold. Warnings: questions asked twice or nearly so, samples without a label,
    references that a review called stale. Exits with 2 where there is an error; with 0
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
    | stale reference | warning | a person called it stale in a [review](calibrate.md) |
    """
    from ragate.answers.corpus_texts import corpus_texts
    from ragate.dataset.checks.validate import validate

    chosen = subject(file, config)
    texts = corpus_texts(chosen.config, corpus)
    more = [partial(loaded(each, check.path), chosen.path, given) for each, check, given in checks]
    validation = validate(chosen.path, texts, more=more)
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
        yield "  expected documents: not checked; --corpus FOLDER says which documents there are"
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
