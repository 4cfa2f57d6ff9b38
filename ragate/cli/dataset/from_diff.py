"""``ragate dataset generate --from-diff``: drafts for the documents that a change edits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.dataset.shared import ToolInput, one_line

if TYPE_CHECKING:
    from ragate.dataset import Entry
    from ragate.pipeline.golden.generate import Generated

_BARE = 20  # documents without a draft that are named


@dataclass(frozen=True)
class EditedDocuments:
    """The documents to ask about, and what each said before."""

    documents: tuple[str, ...]
    before: dict[str, str]


def edited_documents(
    chosen: ToolInput, corpus: Path | None, texts: dict[str, str], entries: list[Entry], base: str
) -> EditedDocuments:
    """Return the documents that differ from `base` and that neither question nor draft expects.

    Raises:
        UsageError: git knows no such commit, or nobody tells where the documents are.
    """
    from ragate.pipeline.coverage.changed_documents import changed_documents, corpus_folder
    from ragate.pipeline.coverage.coverage import to_draft_for

    changed = changed_documents(corpus_folder(chosen.config, corpus), texts, base)
    return EditedDocuments(to_draft_for(entries, texts, changed), changed.before)


def without_model(
    edited: EditedDocuments, texts: dict[str, str], queries: list[str], *, count: int, seed: int
) -> Generated:
    """Return drafts from headings and definitions; names the documents that have none."""
    from ragate.pipeline.coverage.keyless_drafts import keyless_drafts
    from ragate.pipeline.golden.drafting import DraftReplies
    from ragate.pipeline.golden.generate import Generated, new_rows

    rows = keyless_drafts(texts, edited.documents, edited.before, count=count, seed=seed)
    new = new_rows(rows, queries)
    twice = len(rows) - len(new)
    bare = set(edited.documents) - {doc_id for row in new for doc_id in row["relevant"]}
    for doc_id in sorted(bare)[:_BARE]:
        click.echo(f"no draft: {one_line(doc_id)} (no new heading or definition, or --count)")
    dropped = {"nearly the same as another question": twice} if twice else {}
    return Generated(new, dropped, DraftReplies())
