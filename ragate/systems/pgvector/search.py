"""Retrieval: bm25, dense and hybrid, in the database. Equal scores are ordered by document id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgvector import SparseVector

from ragate.models import RetrievedChunk
from ragate.systems.pgvector.store import Connection, Index
from ragate.systems.pgvector.terms import DIMENSIONS
from ragate.systems.pgvector.vectors import check_dimension
from ragate.systems.pgvector.weights import idf

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

HYBRID_DEPTH = 100  # chunks of each ranking that are fused
# Rounded before it is compared: two servers may differ in the last bits of a sum.
_BM25 = """
WITH scored AS MATERIALIZED (
    SELECT doc_id, position, round((tf <#> %s) * -10000) AS score FROM {weights}
)
SELECT doc_id, position, score / 10000 FROM scored
WHERE score > 0 ORDER BY score DESC, doc_id, position LIMIT %s
"""
_EXACT = """
WITH scored AS MATERIALIZED (
    SELECT doc_id, position, round((1 - (embedding <=> %s)) * 100000) AS score FROM {vectors}
)
SELECT doc_id, position, score / 100000 FROM scored
ORDER BY score DESC, doc_id, position LIMIT %s
"""
_HNSW = """
SELECT doc_id, position, 1 - (embedding <=> %s) FROM {vectors}
ORDER BY embedding <=> %s LIMIT %s
"""
_TEXTS = """
SELECT c.doc_id, c.position, c.title, c.section, c.text FROM {chunks} c
JOIN unnest(%s::text[], %s::integer[]) AS wanted (doc_id, position) USING (doc_id, position)
"""


@dataclass(frozen=True)
class Hit:
    """One retrieved chunk, without its text."""

    doc_id: str
    position: int
    score: float


async def weights_of(
    connection: Connection, index: Index, counts: Mapping[int, int]
) -> dict[int, float]:
    """Return the idf of each dimension of a question; one that no chunk holds weighs most."""
    cursor = await connection.execute(
        index.query("SELECT term, df FROM {terms} WHERE term = ANY(%s)"), (list(counts),)
    )
    found = {int(term): int(df) for term, df in await cursor.fetchall()}
    return {term: idf(found.get(term, 0), index.chunks) for term in counts}


async def bm25(
    connection: Connection,
    index: Index,
    counts: Mapping[int, int],
    weights: Mapping[int, float],
    *,
    limit: int,
) -> list[Hit]:
    """Return the chunks that share a term with the question, best first."""
    if not counts:
        return []
    question = SparseVector({term: counts[term] * weights[term] for term in counts}, DIMENSIONS)
    cursor = await connection.execute(index.query(_BM25), (question, limit))
    return [Hit(*row) for row in await cursor.fetchall()]


async def dense(
    connection: Connection,
    index: Index,
    embedding: npt.NDArray[np.float32],
    *,
    limit: int,
    hnsw: bool,
) -> list[Hit]:
    """Return the chunks nearest in cosine, best first; all chunks take part, exact or nearly.

    Raises:
        DatabaseError: the embedding has another dimension than the index.
    """
    if index.chunks == 0:
        return []
    check_dimension(index, len(embedding))
    if not hnsw:
        cursor = await connection.execute(index.query(_EXACT), (embedding, limit))
        return [Hit(*row) for row in await cursor.fetchall()]
    await connection.execute(f"SET LOCAL hnsw.ef_search = {min(max(limit, 40), 1000)}")
    cursor = await connection.execute(index.query(_HNSW), (embedding, embedding, limit))
    hits = [
        Hit(doc_id, position, round(score, 5))
        for doc_id, position, score in await cursor.fetchall()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.doc_id, hit.position))


def fuse(rankings: Sequence[Sequence[Hit]], *, rrf_k: int, limit: int) -> list[Hit]:
    """Return the rankings as one: a chunk scores the sum of 1 / (rrf_k + rank).

    Source:
        Cormack, Clarke and Büttcher, Reciprocal rank fusion, SIGIR 2009.
    """
    scores: dict[tuple[str, int], float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            place = (hit.doc_id, hit.position)
            scores[place] = scores.get(place, 0.0) + 1 / (rrf_k + rank)
    hits = [Hit(doc_id, position, score) for (doc_id, position), score in scores.items()]
    return sorted(hits, key=lambda hit: (-round(hit.score, 12), hit.doc_id, hit.position))[:limit]


async def texts(
    connection: Connection, index: Index, hits: Sequence[Hit]
) -> tuple[RetrievedChunk, ...]:
    """Return the hits with their full texts, in their order."""
    cursor = await connection.execute(
        index.query(_TEXTS), ([hit.doc_id for hit in hits], [hit.position for hit in hits])
    )
    rows = {(row[0], row[1]): row[2:] for row in await cursor.fetchall()}
    return tuple(_chunk(hit, *rows[hit.doc_id, hit.position]) for hit in hits)


def _chunk(hit: Hit, title: str, section: str, text: str) -> RetrievedChunk:
    known = {"title": title, "section": section}
    metadata = {key: value for key, value in known.items() if value}
    return RetrievedChunk(
        doc_id=hit.doc_id,
        text=text,
        score=hit.score,
        metadata={"position": hit.position, **metadata},
    )
