"""What is asked of an index: BM25, nearest vectors, and texts. Ties go by document id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pgvector import SparseVector

from ragate.models import RetrievedChunk
from ragate.models.sample import MetadataValue
from ragate.systems.pgvector.metadata import Conditions
from ragate.systems.pgvector.settings import Settings
from ragate.systems.pgvector.tables import Index, check_dimension
from ragate.systems.pgvector.terms import DIMENSIONS, idf

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# The most that pgvector's graph search returns: https://github.com/pgvector/pgvector#query-options
MOST_NEARLY = 1000
# Rounded before it is compared: two servers may differ in the last bits of a sum.
_BM25 = """
WITH scored AS MATERIALIZED (
    SELECT doc_id, position, round((tf <#> %(question)s) * -10000) AS score FROM {weights}
    WHERE {allowed}
)
SELECT doc_id, position, score / 10000 FROM scored
WHERE score > 0 ORDER BY score DESC, doc_id, position LIMIT %(limit)s
"""
_EXACT = """
WITH scored AS MATERIALIZED (
    SELECT doc_id, position, round((1 - (embedding <=> %(question)s)) * 100000) AS score
    FROM {vectors} WHERE {allowed}
)
SELECT doc_id, position, score / 100000 FROM scored
ORDER BY score DESC, doc_id, position LIMIT %(limit)s
"""
_HNSW = """
SELECT doc_id, position, 1 - (embedding <=> %(question)s) FROM {vectors}
ORDER BY embedding <=> %(question)s LIMIT %(limit)s
"""
_TEXTS = """
SELECT c.doc_id, c.position, c.title, c.section, c.text FROM {chunks} c
JOIN unnest(%s::text[], %s::integer[]) AS wanted (doc_id, position) USING (doc_id, position)
"""
_PARENT = """
SELECT doc_id, position, parent FROM {chunks}
JOIN unnest(%s::text[], %s::integer[]) AS wanted (doc_id, position) USING (doc_id, position)
"""


@dataclass(frozen=True)
class Hit:
    """One retrieved chunk, without its text.

    Attributes:
        chunk: Where the hit is a larger passage, the position of the chunk that was found in it.
    """

    doc_id: str
    position: int
    score: float
    chunk: int | None = None


@dataclass(frozen=True)
class Question:
    """One question, ready to be searched for.

    Attributes:
        counts: How often each dimension of its words occurs.
        weights: The idf of each.
        embedding: None for BM25 alone.
        allowed: Which documents may be found.
    """

    counts: Mapping[int, int]
    weights: Mapping[int, float]
    embedding: npt.NDArray[np.float32] | None
    allowed: Conditions


async def weights_of(index: Index, counts: Mapping[int, int]) -> dict[int, float]:
    """Return the idf of each dimension of a question; one that no chunk holds weighs most."""
    rows = await index.rows("SELECT term, df FROM {terms} WHERE term = ANY(%s)", (list(counts),))
    frequencies = {int(term): int(df) for term, df in rows}
    return {term: idf(frequencies.get(term, 0), index.chunks) for term in counts}


async def by_words(index: Index, question: Question, limit: int) -> list[Hit]:
    """Return the chunks that share a term with the question, best first by BM25."""
    counts, weights = question.counts, question.weights
    if not counts:
        return []
    vector = SparseVector({term: counts[term] * weights[term] for term in counts}, DIMENSIONS)
    return await _hits(index, _BM25, vector, limit, question.allowed)


async def by_vector(index: Index, question: Question, settings: Settings, limit: int) -> list[Hit]:
    """Return the chunks nearest in cosine, best first.

    All chunks take part but with an HNSW graph, which finds most of the nearest, and 1,000 at the
    most. Filtered documents are searched exactly: a graph search would filter what it found.

    Raises:
        DatabaseError: the embedding has another dimension than the index.
    """
    embedding = question.embedding
    assert embedding is not None
    if index.chunks == 0:
        return []
    check_dimension(index, len(embedding))
    if settings.index == "exact" or question.allowed:
        return await _hits(index, _EXACT, embedding, limit, question.allowed)
    wide = min(max(limit, settings.hnsw.ef_search), MOST_NEARLY)
    await index.execute(f"SET LOCAL hnsw.ef_search = {wide}")
    nearest = await _hits(index, _HNSW, embedding, limit, question.allowed)
    hits = [Hit(hit.doc_id, hit.position, round(hit.score, 5)) for hit in nearest]
    return sorted(hits, key=lambda hit: (-hit.score, hit.doc_id, hit.position))


async def _hits(
    index: Index, statement: str, vector: object, limit: int, allowed: Conditions
) -> list[Hit]:
    clause, values = allowed.clause()
    parameters = {"question": vector, "limit": limit, **values}
    rows = await index.rows(statement, parameters, allowed=index.query(clause))
    return [Hit(*row) for row in rows]


async def parents(index: Index, hits: Sequence[Hit]) -> list[Hit]:
    """Return the passages that hold the hits, each once, at the place of its best chunk."""
    parent_of = await _by_chunk(index, _PARENT, hits)
    passages: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        (parent,) = parent_of[hit.doc_id, hit.position]
        passage = Hit(hit.doc_id, parent, hit.score, hit.position)
        passages.setdefault((hit.doc_id, parent), passage)
    return list(passages.values())


async def texts(index: Index, hits: Sequence[Hit]) -> tuple[RetrievedChunk, ...]:
    """Return the hits with their full texts, in their order."""
    statement = _TEXTS
    if any(hit.chunk is not None for hit in hits):
        statement = _TEXTS.replace("{chunks}", "{parents}")
    rows = await _by_chunk(index, statement, hits)
    return tuple(_chunk(hit, *rows[hit.doc_id, hit.position]) for hit in hits)


async def _by_chunk(
    index: Index, statement: str, hits: Sequence[Hit]
) -> dict[tuple[str, int], tuple[Any, ...]]:
    """Return what a statement selects of each hit, by document and position."""
    chunks = ([hit.doc_id for hit in hits], [hit.position for hit in hits])
    return {(row[0], row[1]): row[2:] for row in await index.rows(statement, chunks)}


def _chunk(hit: Hit, title: str, section: str, text: str) -> RetrievedChunk:
    headings = {"title": title, "section": section}
    metadata: dict[str, MetadataValue] = {key: value for key, value in headings.items() if value}
    if hit.chunk is not None:
        metadata["found_by"] = hit.chunk
    return RetrievedChunk(
        doc_id=hit.doc_id,
        text=text,
        score=hit.score,
        metadata={"position": hit.position, **metadata},
    )
