"""Questions of production traces and of data sets: Langfuse, Phoenix, OpenTelemetry.

A trace tells what was asked and what the system of that day answered, not what is right. So its
question becomes a draft: without a reference and without an expected document. The answer and the
documents that were retrieved stay as metadata, for whoever labels it.
"""

from collections.abc import Iterator
from pathlib import Path

from ragate.dataset._importers._common import Imported, Notes
from ragate.dataset._values import MAX_TURNS
from ragate.models import MetadataValue, Turn
from ragate.outputs.exports import read_export
from ragate.outputs.traced_texts import Exchange

KINDS = ("langfuse", "phoenix", "otel")
_MOST_OF_ANSWER = 2000  # characters: enough to judge by, and a golden set stays readable
_MOST_DOCUMENTS = 20


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
            metadata=_metadata(exchange),
            draft=not exchange.references,
        )


def _metadata(exchange: Exchange) -> dict[str, MetadataValue]:
    metadata: dict[str, MetadataValue] = dict(exchange.metadata)
    if exchange.answer:
        metadata["recorded_answer"] = exchange.answer[:_MOST_OF_ANSWER]
    retrieved = dict.fromkeys(one.doc_id for one in exchange.passages or () if one.doc_id)
    if retrieved:
        metadata["retrieved"] = "; ".join(list(retrieved)[:_MOST_DOCUMENTS])
    return metadata
