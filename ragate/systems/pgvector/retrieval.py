"""From a question to ranked passages, as the settings want them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragate.core.ranking import ranked_doc_ids
from ragate.models import RetrievedChunk
from ragate.protocols import Reranker
from ragate.systems.pgvector.ranked_search import Hit, Question, by_vector, by_words, parents
from ragate.systems.pgvector.settings import HybridSettings, Settings
from ragate.systems.pgvector.tables import Index

DEEPER = 4  # a search that found too few passages is repeated to so many times its depth


async def retrieve(
    index: Index, question: Question, settings: Settings, *, wanted: int
) -> list[Hit]:
    """Return the `wanted` best passages, best first; fewer where there are no more.

    With ``[system.parents]`` a passage stands once, at the place of its best chunk.
    """
    if settings.parents.use == "none":
        return await _ranked(index, question, settings, wanted)
    depth = wanted
    while True:
        hits = await _ranked(index, question, settings, depth)
        passages = await parents(index, hits)
        if len(passages) >= wanted or len(hits) < depth:
            return passages[:wanted]
        depth *= DEEPER


async def _ranked(index: Index, question: Question, settings: Settings, limit: int) -> list[Hit]:
    if settings.retrieval == "bm25":
        return await by_words(index, question, limit)
    if settings.retrieval == "dense":
        return await by_vector(index, question, settings, limit)
    depth = max(limit, settings.hybrid.depth)
    words = await by_words(index, question, depth)
    near = await by_vector(index, question, settings, depth)
    return fuse(words, near, settings.hybrid, limit=limit)


# Two rankings to one, weighted: by ranks or by scores.


def fuse(
    bm25: Sequence[Hit], dense: Sequence[Hit], settings: HybridSettings, *, limit: int
) -> list[Hit]:
    """Return both rankings as one, best first; a chunk that one of them lacks gets 0 for it.

    By ranks, a chunk gets weight / (rrf_k + rank) from each ranking; by scores, weight times its
    score scaled to 0 for the last of that ranking and 1 for the first.

    Source:
        Cormack, Clarke and Büttcher, Reciprocal rank fusion, SIGIR 2009. Bruch, Gai and Ingber, An
        analysis of fusion functions for hybrid retrieval, TOIS 2023.
    """
    scores: dict[tuple[str, int], float] = {}
    for weight, ranking in ((1 - settings.weight, bm25), (settings.weight, dense)):
        if not weight:
            continue
        values = (
            _by_rank(ranking, settings.rrf_k) if settings.fusion == "rrf" else _by_score(ranking)
        )
        for hit, value in zip(ranking, values, strict=True):
            chunk = (hit.doc_id, hit.position)
            scores[chunk] = scores.get(chunk, 0.0) + weight * value
    hits = [Hit(doc_id, position, score) for (doc_id, position), score in scores.items()]
    return sorted(hits, key=lambda hit: (-round(hit.score, 12), hit.doc_id, hit.position))[:limit]


def _by_rank(ranking: Sequence[Hit], rrf_k: int) -> Iterable[float]:
    return (1 / (rrf_k + rank) for rank in range(1, len(ranking) + 1))


def _by_score(ranking: Sequence[Hit]) -> Iterable[float]:
    if not ranking:
        return []
    high, low = ranking[0].score, ranking[-1].score
    return ((hit.score - low) / (high - low) if high > low else 1.0 for hit in ranking)


# The second stage: a model orders the candidates of the first anew.


async def rerank(
    reranker: Reranker, query: str, chunks: Sequence[RetrievedChunk], *, limit: int
) -> tuple[tuple[RetrievedChunk, ...], tuple[str, ...]]:
    """Return the `limit` best chunks by the model, and the documents as they were ranked before.

    A chunk gets the model's score, and the number and the score that it had as metadata. Equal
    scores keep the order they had.
    """
    scores = await reranker(query, [_read_text(chunk) for chunk in chunks])
    order = sorted(range(len(chunks)), key=lambda number: (-round(scores[number], 6), number))
    ranked = tuple(
        _reranked(chunks[number], number + 1, scores[number]) for number in order[:limit]
    )
    return ranked, tuple(ranked_doc_ids(chunks))


def _read_text(chunk: RetrievedChunk) -> str:
    above = (str(chunk.metadata.get(name, "")) for name in ("title", "section"))
    return "\n".join(part for part in (*above, chunk.text) if part)


def _reranked(chunk: RetrievedChunk, before: int, score: float) -> RetrievedChunk:
    metadata = {**chunk.metadata, "first_rank": before, "first_score": chunk.score}
    return chunk.amended(score=round(score, 6), metadata=metadata)
