"""The second stage: a model orders the candidates of the first anew."""

from collections.abc import Sequence

from ragate.core.ranking import ranked_doc_ids
from ragate.models import RetrievedChunk
from ragate.protocols import Reranker


async def rerank(
    reranker: Reranker, query: str, chunks: Sequence[RetrievedChunk], *, limit: int
) -> tuple[tuple[RetrievedChunk, ...], tuple[str, ...]]:
    """Return the `limit` best chunks by the model, and the documents as they were ranked before.

    A chunk gets the model's score, and the number and the score that it had as metadata. Equal
    scores keep the order they had.
    """
    scores = await reranker(query, [_read(chunk) for chunk in chunks])
    order = sorted(range(len(chunks)), key=lambda number: (-round(scores[number], 6), number))
    ranked = tuple(_ranked(chunks[number], number + 1, scores[number]) for number in order[:limit])
    return ranked, tuple(ranked_doc_ids(chunks))


def _read(chunk: RetrievedChunk) -> str:
    above = (str(chunk.metadata.get(name, "")) for name in ("title", "section"))
    return "\n".join(part for part in (*above, chunk.text) if part)


def _ranked(chunk: RetrievedChunk, before: int, score: float) -> RetrievedChunk:
    metadata = {**chunk.metadata, "first_rank": before, "first_score": chunk.score}
    return chunk.amended(score=round(score, 6), metadata=metadata)
