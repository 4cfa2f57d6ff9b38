"""Questions of production traces and of data sets: Langfuse, Phoenix, OpenTelemetry.

A trace tells what was asked and what the system of that day answered, not what is right. So its
question becomes a draft: without a reference and without an expected document. The answer and the
documents that were retrieved stay as metadata, for whoever labels it.
"""

from collections.abc import Iterator
from pathlib import Path

from ragate.dataset._importers._common import Imported, Notes, said_that_day
from ragate.dataset._values import MAX_TURNS
from ragate.models import Turn
from ragate.outputs.exports import read_export

KINDS = ("langfuse", "phoenix", "otel")


def read(kind: str, path: Path, notes: Notes) -> Iterator[Imported]:
    """Yield each question once: of traces as drafts, of data sets with their references."""
    asked: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
    for exchange in read_export(kind, path):
        words = (" ".join(exchange.query.split()).casefold(), exchange.turns)
        if words in asked:
            notes.add("left out: a question that was asked before in this file")
            continue
        asked.add(words)
        if len(exchange.turns) > MAX_TURNS:
            notes.add(f"left out: a conversation of more than {MAX_TURNS} turns")
            continue
        yield Imported(
            place=exchange.place,
            query=exchange.query,
            messages=tuple(
                Turn.model_validate({"role": role, "content": text})
                for role, text in exchange.turns
            ),
            references=exchange.references,
            metadata=dict(exchange.metadata)
            | said_that_day(
                exchange.answer, (one.doc_id for one in exchange.passages or () if one.doc_id)
            ),
            draft=not exchange.references,
        )
