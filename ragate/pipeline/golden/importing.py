"""Bringing in a golden set of another tool, or of another format."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.dataset import read_entries
from ragate.dataset._importers import KINDS as FOREIGN
from ragate.dataset._importers import Notes, PlacementCounts, Resolver, read_foreign
from ragate.dataset._rows import entries_of
from ragate.dataset.edit import row_of, write_rows
from ragate.errors import DatasetError
from ragate.pipeline.run.corpus_texts import Texts

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
    query_name: str = "",
    draft: bool = False,
) -> Import:
    """Write the golden set at `path` as JSON Lines to `output`.

    Args:
        texts: The corpus: passages are placed in the documents that hold them.
        query_name: For promptfoo, the variable that holds the question.
        draft: Mark every sample as a draft.

    Raises:
        DatasetError: something cannot be read, or nothing is left; nothing is written.
    """
    notes, resolver = Notes(), Resolver(texts)
    if kind in OWN:
        rows = [row_of(entry) for entry in read_entries(path)]
    else:
        foreign = read_foreign(kind, path, notes, query_name=query_name)
        rows = [resolver.row(sample) for sample in foreign]
    if not rows:
        notices = "; ".join(notes) or "it holds none"
        raise DatasetError(f"{path}: no sample could be imported: {notices}")
    if draft:
        rows = [{**row, "draft": True} for row in rows]
    _notice(rows, notes)
    # Read as a gate would read it, so that what is written can be read.
    numbered = ((f"{path}: sample {n}", row) for n, row in enumerate(rows, 1))
    entries = list(entries_of(numbered, path=path))
    write_rows(output, rows)
    return Import(
        samples=len(rows),
        labelled=sum(bool(entry.sample.expected) for entry in entries),
        drafts=sum(entry.draft for entry in entries),
        references=sum(bool(entry.sample.references) for entry in entries),
        unplaced=resolver.count,
        notes=dict(notes),
    )


def _notice(rows: list[dict[str, Any]], notes: Notes) -> None:
    names = sorted({name for row in rows for name in row.get("metadata", {})})
    if names:
        notes[f"kept as metadata: {', '.join(names[:20])}"] = sum("metadata" in row for row in rows)
