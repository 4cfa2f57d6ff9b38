"""Bringing in a golden set of another tool, or of another format."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.answers.corpus_texts import Texts
from ragate.contrib.golden.importers import KINDS as FOREIGN
from ragate.contrib.golden.importers import (
    Notes,
    PlacementCounts,
    Resolver,
    kind_of,
    read_foreign,
)
from ragate.contrib.golden.plausible import refuse_implausible
from ragate.dataset import read_entries
from ragate.dataset._rows import Entries, Entry, Row
from ragate.dataset.edit import row_of, write_rows
from ragate.errors import DatasetError
from ragate.tables.traced import Exchange

OWN = ("golden", "beir")  # formats that a gate reads as they are
KINDS = (*OWN, *FOREIGN)


@dataclass(frozen=True)
class Import:
    """What was imported.

    Attributes:
        labelled: Samples with an expected document.
        drafts: Samples that no run asks before they are accepted.
        notes: What could not be taken as it is, and how often.
    """

    samples: int
    labelled: int
    drafts: int
    references: int
    unplaced: PlacementCounts
    notes: dict[str, int]


def import_golden(
    kind: str,
    path: Path,
    output: Path,
    *,
    texts: Texts | None,
    columns: Mapping[str, str] | None = None,
    draft: bool = False,
) -> Import:
    """Write the golden set at `path` as JSON Lines to `output`.

    Args:
        kind: One of `KINDS`; "": whichever the file's content shows.
        texts: The corpus: passages are placed in the documents that hold them.
        columns: The fields that somebody named, by what they hold.
        draft: Mark every sample as a draft.

    Raises:
        DatasetError: something cannot be read, or nothing is left; nothing is written.
    """
    notes = Notes()
    resolver = Resolver(texts, notes)
    entries = _entries(kind or kind_of(path), path, resolver, columns or {}, draft=draft)
    rows = [row_of(entry) for entry in entries]
    if not rows:
        notices = "; ".join(notes) or "it holds none"
        raise DatasetError(f"{path}: no sample could be imported: {notices}")
    if draft:
        rows = [{**row, "draft": True} for row in rows]
    _notice(rows, notes)
    write_rows(output, rows)
    return Import(
        samples=len(rows),
        labelled=sum(bool(entry.sample.expected) for entry in entries),
        drafts=len(rows) if draft else sum(entry.draft for entry in entries),
        references=sum(bool(entry.sample.references) for entry in entries),
        unplaced=resolver.count,
        notes=dict(notes),
    )


def _entries(
    kind: str, path: Path, resolver: Resolver, columns: Mapping[str, str], *, draft: bool
) -> list[Entry]:
    """Return what a file holds, as a gate would read it; a wrong guess of its kind is named."""
    if kind in OWN:
        return read_entries(path)
    try:
        foreign = read_foreign(kind, path, resolver.notes, columns)
        questions = list(_each_once(foreign, resolver.notes))
        rows = [(question.place, resolver.row(question)) for question in questions]
        entries = rows_read(rows, path=path)
    except DatasetError as error:
        seen = kind_of(path)
        if seen in {kind, "table"} or kind == "table":
            raise
        remedy = f"it looks like a file of {seen}: leave {kind} out, content tells the format"
        raise DatasetError(error.message, remedy=remedy) from error
    if not draft:
        refuse_implausible(entries, questions, named=columns)
    return entries


def rows_read(rows: Iterable[Row], *, path: Path) -> list[Entry]:
    """Return rows as a gate would read them, so that what is written can be read."""
    entries = Entries(path)
    return [entries.read(where, row) for where, row in rows]


def _each_once(questions: Iterable[Exchange], notes: Notes) -> Iterator[Exchange]:
    """Yield each question without an id once.

    Raises:
        DatasetError: one stands twice, with two right answers: which one an output gets that
            names the question alone, nothing could tell.
    """
    first: dict[tuple[str, tuple[tuple[str, str], ...]], Exchange] = {}
    for question in questions:
        words = (" ".join(question.query.split()), question.turns)
        before = question if question.id else first.setdefault(words, question)
        if before is question:
            yield question
        elif _right(before) == _right(question):
            notes.add("left out: a question that stands there twice, with the same right answer")
        else:
            raise DatasetError(
                f"{question.place}: asks the question of {before.place} again, and another answer "
                "or document is right",
                remedy="put all that is right into one row, as a list, or give each row an id",
            )


def _right(question: Exchange) -> tuple[Any, ...]:
    """Return what is right: two rows with the same are one."""
    return (question.references, question.relevant, question.evidence, question.own)


def _notice(rows: list[dict[str, Any]], notes: Notes) -> None:
    names = sorted({name for row in rows for name in row.get("metadata", {})})
    if names:
        notes[f"kept as metadata: {', '.join(names[:20])}"] = sum("metadata" in row for row in rows)
