"""The embeddings of an index: their table, and its one dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from psycopg import sql

from ragate.errors import ConfigError, DatabaseError
from ragate.protocols import Embedder
from ragate.systems.pgvector.index.index_rows import copy_rows
from ragate.systems.pgvector.index.tables import Connection, Index
from ragate.systems.pgvector.retrieval_settings import HnswSettings
from ragate.systems.pgvector.settings import HNSW_LIMIT, Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ragate.systems.pgvector.corpus.chunking import Chunk

_CREATE = """
CREATE TABLE {vectors} (doc_id text COLLATE "C", position integer,
    embedding vector({dimension}) NOT NULL, PRIMARY KEY (doc_id, position));
ALTER TABLE {vectors} ALTER embedding SET STORAGE PLAIN
"""


async def add_vectors(
    connection: Connection,
    index: Index,
    chunks: Sequence[Chunk],
    embedder: Embedder,
    settings: Settings,
) -> Index:
    """Embed the chunks and store the vectors; the table is made with the first of them.

    Raises:
        ConfigError: more dimensions than HNSW takes.
        DatabaseError: the embedder's dimension is not the index's.
    """
    if not chunks:
        return index
    embeddings = await embedder([chunk.searched(settings.prefix) for chunk in chunks])
    places = [(chunk.doc_id, chunk.position) for chunk in chunks]
    return await store_vectors(connection, index, places, embeddings, settings)


async def store_vectors(
    connection: Connection,
    index: Index,
    places: Sequence[tuple[str, int]],
    embeddings: npt.NDArray[np.float32],
    settings: Settings,
) -> Index:
    """Store vectors that are there already, by (document, position).

    A graph is built when the first vectors are in: that is several times faster than before.

    Raises:
        ConfigError, DatabaseError: as for `add_vectors`.
    """
    dimension = int(embeddings.shape[1])
    new = index.dimension is None
    if new:
        index = await _create(connection, index, dimension, hnsw=settings.index == "hnsw")
    check_dimension(index, dimension)
    rows = ((*chunk, vector) for chunk, vector in zip(places, embeddings, strict=True))
    await copy_rows(connection, index, "vectors", rows)
    if new and settings.index == "hnsw":
        await build_graph(connection, index, settings.hnsw)
    await connection.execute(sql.SQL("ANALYZE {}").format(index.table("vectors")))
    return index


def check_dimension(index: Index, dimension: int) -> None:
    """Raise DatabaseError where vectors of `dimension` do not fit the index."""
    if index.dimension != dimension:
        raise DatabaseError(
            f"the index holds embeddings of {index.dimension} dimensions, and the embedder now "
            f"returns {dimension}",
            remedy="run `ragate ingest --rebuild` to embed the corpus anew",
        )


async def _create(connection: Connection, index: Index, dimension: int, *, hnsw: bool) -> Index:
    if hnsw and dimension > HNSW_LIMIT:
        raise ConfigError(
            f'[system] index = "hnsw" takes embeddings of up to {HNSW_LIMIT} dimensions; the '
            f"embedder returns {dimension}",
            remedy='use index = "exact", or set dimensions in [system.embedder]',
        )
    statement = _CREATE if dimension <= HNSW_LIMIT else _CREATE.split(";")[0]
    await connection.execute(index.query(statement, dimension=dimension))
    return replace(index, dimension=dimension)


async def build_graph(connection: Connection, index: Index, settings: HnswSettings) -> None:
    await connection.execute("SET LOCAL maintenance_work_mem = '1GB'")
    # Workers share the graph in /dev/shm, of which a container has 64 MB.
    await connection.execute("SET LOCAL max_parallel_maintenance_workers = 0")
    await connection.execute(
        index.query(
            "CREATE INDEX ON {vectors} USING hnsw (embedding vector_cosine_ops) "
            "WITH (m = {m}, ef_construction = {ef_construction})",
            m=settings.m,
            ef_construction=settings.ef_construction,
        )
    )
