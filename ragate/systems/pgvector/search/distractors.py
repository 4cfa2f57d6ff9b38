"""Passages that do not belong to a question, put between those that were retrieved for it."""

from __future__ import annotations

from collections.abc import Collection

from ragate.core.arrangement import distractors_wanted, in_order, spread
from ragate.core.ranking import ranked_doc_ids
from ragate.errors import ConfigError
from ragate.models import RetrievedChunk, Sample
from ragate.systems.pgvector.corpus.metadata import conditions
from ragate.systems.pgvector.index.tables import Connection, Index
from ragate.systems.pgvector.search import ranked_search
from ragate.systems.pgvector.search.ranked_search import Hit
from ragate.systems.pgvector.settings import Settings

# Drawn by a hash of question and place, so that the same ones come back while they are there.
_DRAWN = """
SELECT doc_id, position FROM {passages}
WHERE NOT doc_id = ANY(%(own)s) AND {allowed}
ORDER BY md5(%(question)s || ' ' || doc_id || ' ' || position), doc_id, position LIMIT %(limit)s
"""


async def arranged(
    connection: Connection,
    index: Index,
    settings: Settings,
    sample: Sample,
    chunks: tuple[RetrievedChunk, ...],
) -> tuple[RetrievedChunk, ...]:
    """Return the passages as ``arrange`` of the sample wants them.

    A distractor is of a document that is neither expected nor retrieved; its metadata says so.

    Raises:
        ConfigError: the corpus holds fewer other passages than are wanted.
    """
    wanted = distractors_wanted(sample.arrange)
    if not wanted:
        return in_order(chunks, sample.arrange, key=sample.query)
    own = {*ranked_doc_ids(chunks), *sample.expected}
    hits = await _drawn(connection, index, settings, sample, own, wanted)
    if len(hits) < wanted:
        raise ConfigError(
            f"the sample {sample.id}: arrange = {sample.arrange!r}, and the corpus holds only "
            f"{len(hits)} passages of documents that are neither expected nor retrieved",
            remedy="ask for fewer distractors, or lower top_k",
        )
    texts = await ranked_search.texts(connection, index, hits)
    marked = [
        chunk.amended(score=None, metadata={**chunk.metadata, "distractor": True})
        for chunk in texts
    ]
    return spread(chunks, marked)


async def _drawn(
    connection: Connection,
    index: Index,
    settings: Settings,
    sample: Sample,
    own: Collection[str],
    limit: int,
) -> list[Hit]:
    clause, values = conditions(settings, sample).clause()
    parents = settings.parents.use != "none"
    table = index.table("parents" if parents else "chunks")
    query = index.query(_DRAWN, allowed=index.query(clause), passages=table)
    keys = {"own": sorted(own), "question": sample.query, "limit": limit, **values}
    cursor = await connection.execute(query, keys)
    rows = await cursor.fetchall()
    return [Hit(doc_id, place, 0.0, place if parents else None) for doc_id, place in rows]
