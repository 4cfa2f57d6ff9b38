"""From a question to ranked passages, as the settings want them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragate.systems.pgvector.corpus.metadata import Conditions
from ragate.systems.pgvector.index.tables import Connection, Index
from ragate.systems.pgvector.search import ranked_search
from ragate.systems.pgvector.search.fusion import fuse
from ragate.systems.pgvector.search.ranked_search import Hit
from ragate.systems.pgvector.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DEEPER = 4  # a search that found too few passages is repeated to so many times its depth


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


async def retrieve(
    connection: Connection, index: Index, question: Question, settings: Settings, *, wanted: int
) -> list[Hit]:
    """Return the `wanted` best passages, best first; fewer where there are no more.

    With ``[system.parents]`` a passage stands once, at the place of its best chunk.
    """
    if settings.parents.use == "none":
        return await _ranked(connection, index, question, settings, wanted)
    depth = wanted
    while True:
        hits = await _ranked(connection, index, question, settings, depth)
        passages = await ranked_search.parents(connection, index, hits)
        if len(passages) >= wanted or len(hits) < depth:
            return passages[:wanted]
        depth *= DEEPER


async def _ranked(
    connection: Connection, index: Index, question: Question, settings: Settings, limit: int
) -> list[Hit]:
    if settings.retrieval == "bm25":
        return await _bm25(connection, index, question, limit)
    if settings.retrieval == "dense":
        return await _dense(connection, index, question, settings, limit)
    depth = max(limit, settings.hybrid.depth)
    words = await _bm25(connection, index, question, depth)
    near = await _dense(connection, index, question, settings, depth)
    return fuse(words, near, settings.hybrid, limit=limit)


async def _bm25(connection: Connection, index: Index, question: Question, limit: int) -> list[Hit]:
    return await ranked_search.bm25(
        connection,
        index,
        question.counts,
        question.weights,
        limit=limit,
        allowed=question.allowed,
    )


async def _dense(
    connection: Connection, index: Index, question: Question, settings: Settings, limit: int
) -> list[Hit]:
    """Search exactly where documents are filtered: a graph search would filter what it found."""
    assert question.embedding is not None
    embedding = question.embedding
    if settings.index == "hnsw" and not question.allowed:
        ef = settings.hnsw.ef_search
        return await ranked_search.nearly(connection, index, embedding, limit=limit, ef_search=ef)
    return await ranked_search.dense(
        connection, index, embedding, limit=limit, allowed=question.allowed
    )
