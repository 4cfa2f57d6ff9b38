"""Labels that a person accepted among proposals: named, ticked in a file, or typed one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import ToolInput
from ragate.cli.finding import plural
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.pipeline.golden.suggest import Suggestion


def accept_labels(chosen: ToolInput, accept: Sequence[str], corpus: Path | None) -> int:
    """Write what ``--accept`` names."""
    from ragate.dataset import read_entries
    from ragate.pipeline.golden.accepting import parse_pairs

    entries = {entry.sample.id: entry for entry in read_entries(chosen.path)}
    grades: dict[str, dict[str, int]] = {}
    for sample_id, doc_id in parse_pairs(accept, entries):
        graded = entries[sample_id].sample.relevant.get(doc_id, 0)
        grades.setdefault(sample_id, {})[doc_id] = max(graded, 1)
    _refuse_unknown(chosen, grades, corpus)
    return save_labels(chosen.path, grades)


def apply_labels(chosen: ToolInput, applied: Path, corpus: Path | None) -> int:
    """Write what was ticked in a review file."""
    from ragate.dataset import read_entries
    from ragate.pipeline.golden.review import read_review

    entries = {entry.sample.id: entry for entry in read_entries(chosen.path)}
    grades = read_review(applied, entries)
    _refuse_unknown(chosen, grades, corpus)
    return save_labels(chosen.path, grades)


def _refuse_unknown(
    chosen: ToolInput, grades: dict[str, dict[str, int]], corpus: Path | None
) -> None:
    """Raise for a document that the corpus does not hold, where that can be told."""
    from ragate.pipeline.run.corpus_texts import corpus_texts
    from ragate.support.settings import nearest

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
    from ragate.pipeline.golden.review import review_text
    from ragate.support.atomic_files import write_atomic

    write_atomic(review, review_text(path, suggestions).encode())
    click.echo(f"{review}: {plural(len(suggestions), 'question')}; tick the boxes, then")
    click.echo(f"  ragate dataset suggest {quote(str(path))} --apply {quote(str(review))}")
    return 0


def save_labels(path: Path, grades: dict[str, dict[str, int]]) -> int:
    """Write labels into the golden set, and say how many are new."""
    from ragate.pipeline.golden.accepting import write_labels

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
