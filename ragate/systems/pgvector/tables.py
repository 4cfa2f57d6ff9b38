"""The tables of one index, and everything that is asked of them in SQL."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from psycopg import AsyncConnection, AsyncCursor, errors, sql
from psycopg.types.json import Jsonb
from psycopg.types.numeric import Int4

from ragate.database.schema import ADVISORY_CLASS
from ragate.errors import ConfigError, DatabaseError
from ragate.systems.pgvector.settings import HNSW_LIMIT, HnswSettings, Settings
from ragate.systems.pgvector.terms import DIMENSIONS, Counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ragate.systems.pgvector.chunking import Chunk


_CREATE_VECTORS = """
CREATE TABLE {vectors} (doc_id text COLLATE "C", position integer,
    embedding vector({dimension}) NOT NULL, PRIMARY KEY (doc_id, position));
ALTER TABLE {vectors} ALTER embedding SET STORAGE PLAIN
"""
Connection = AsyncConnection[tuple[Any, ...]]
Cursor = AsyncCursor[tuple[Any, ...]]
Parameters = Mapping[str, Any] | Sequence[Any] | None
KEEP = 5  # indexes of one corpus, so that a change of settings and back costs nothing
TABLES = ("documents", "chunks", "parents", "counts", "weights", "terms", "vectors")
# Weights of a long chunk take up to 8 kB; kept in the row, a search reads them without detours.
_CREATE = """
CREATE TABLE {documents} (doc_id text COLLATE "C" PRIMARY KEY, hash text NOT NULL,
    metadata jsonb NOT NULL);
CREATE TABLE {chunks} (doc_id text COLLATE "C", position integer, title text NOT NULL,
    section text NOT NULL, text text NOT NULL, parent integer NOT NULL,
    PRIMARY KEY (doc_id, position));
CREATE TABLE {parents} (LIKE {chunks} INCLUDING INDEXES);
CREATE TABLE {counts} (doc_id text COLLATE "C", position integer, counted bytea NOT NULL,
    PRIMARY KEY (doc_id, position));
CREATE TABLE {weights} (doc_id text COLLATE "C", position integer, tf sparsevec({size}) NOT NULL)
    WITH (toast_tuple_target = 8160);
CREATE TABLE {terms} (term integer PRIMARY KEY, df integer NOT NULL);
"""


@dataclass(frozen=True)
class Index:
    """One index as it is registered, on the connection that reads or writes it.

    Attributes:
        dimension: Of its embeddings; None where it has none.
    """

    connection: Connection
    id: int
    corpus_hash: str = ""
    chunks: int = 0
    total_length: int = 0
    dimension: int | None = None

    def table(self, name: str) -> sql.Identifier:
        return sql.Identifier("ragate", f"{name}_{self.id}")

    def query(self, text: str, **values: int | sql.Composable) -> sql.Composed:
        """Return SQL with {documents}, {chunks}, … replaced by this index's tables."""
        tables = {name: self.table(name) for name in TABLES}
        parts = {
            name: value if isinstance(value, sql.Composable) else sql.Literal(value)
            for name, value in values.items()
        }
        return sql.SQL(text).format(**tables, **parts)

    async def execute(
        self, text: str, parameters: Parameters = None, **values: int | sql.Composable
    ) -> Cursor:
        """Run SQL on this index's tables; see `query`."""
        return await self.connection.execute(self.query(text, **values), parameters)

    async def rows(
        self, text: str, parameters: Parameters = None, **values: int | sql.Composable
    ) -> list[tuple[Any, ...]]:
        """Return what SQL selects of this index's tables; see `query`."""
        return await (await self.execute(text, parameters, **values)).fetchall()


async def connect(conninfo: str) -> Connection:
    """Return a connection that finds pgvector's types wherever they were installed."""
    from pgvector.psycopg import register_vector_async

    connection = await AsyncConnection.connect(conninfo, autocommit=True, connect_timeout=10)
    try:
        cursor = await connection.execute(
            "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
            "WHERE e.extname = 'vector'"
        )
        row = await cursor.fetchone()
        schema = sql.Identifier(row[0] if row else "public")
        await connection.execute(sql.SQL("SET search_path = ragate, {}").format(schema))
        await connection.execute("SET idle_in_transaction_session_timeout = 0")
        await register_vector_async(connection)
    except BaseException:
        await connection.close()
        raise
    return connection


async def lock(connection: Connection, key: str, *, wait: bool) -> bool:
    """Take the lock of one index until the transaction ends; False where another holds it."""
    pair = (ADVISORY_CLASS, zlib.crc32(key.encode()) - 2**31 or 1)  # 0 is the schema's
    if wait:
        await connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", pair)
        return True
    cursor = await connection.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", pair)
    row = await cursor.fetchone()
    return bool(row and row[0])


async def find(connection: Connection, key: str) -> Index | None:
    cursor = await connection.execute(
        "SELECT id, corpus_hash, chunks, total_length, dimension FROM ragate.indexes "
        "WHERE key = %s",
        (key,),
    )
    row = await cursor.fetchone()
    return None if row is None else Index(connection, *row)


async def create(connection: Connection, key: str, corpus: str) -> Index:
    """Register a new, empty index under `key`; one that had the key before loses it."""
    await connection.execute("UPDATE ragate.indexes SET key = NULL WHERE key = %s", (key,))
    cursor = await connection.execute(
        "INSERT INTO ragate.indexes (key, corpus, corpus_hash, chunks, total_length) "
        "VALUES (%s, %s, '', 0, 0) RETURNING id",
        (key, corpus),
    )
    row = await cursor.fetchone()
    assert row is not None
    index = Index(connection, row[0])
    await index.execute(_CREATE, size=DIMENSIONS)
    return index


async def touch(index: Index) -> None:
    """Note that the index is in use; collection removes the ones that were not for longest."""
    await index.execute("UPDATE ragate.indexes SET used_at = now() WHERE id = %s", (index.id,))


async def finish(index: Index) -> None:
    """Write what is known of the index after its ingestion."""
    await index.execute(
        "UPDATE ragate.indexes SET corpus_hash = %s, chunks = %s, total_length = %s, "
        "dimension = %s, used_at = now() WHERE id = %s",
        (index.corpus_hash, index.chunks, index.total_length, index.dimension, index.id),
    )
    for name in ("chunks", "weights", "terms"):
        await index.execute(f"ANALYZE {{{name}}}")


async def hashes(index: Index) -> dict[str, str]:
    """Return the hash of each document that the index holds, by id."""
    return dict(await index.rows("SELECT doc_id, hash FROM {documents}"))


async def metadata_fields(index: Index) -> set[str]:
    """Return the names of all fields that any document has."""
    names = await index.rows("SELECT DISTINCT jsonb_object_keys(metadata) FROM {documents}")
    return {name for (name,) in names}


async def remove(index: Index, doc_ids: Sequence[str]) -> None:
    """Remove documents with everything that belongs to them."""
    names = ["documents", "chunks", "parents", "counts"] + (["vectors"] if index.dimension else [])
    for name in names:
        table = index.table(name)
        await index.execute(
            "DELETE FROM {rows} WHERE doc_id = ANY(%s)", (list(doc_ids),), rows=table
        )


async def add_documents(index: Index, rows: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
    """Add documents: id, hash and metadata."""
    prepared = ((doc_id, content, Jsonb(fields)) for doc_id, content, fields in rows)
    await copy_rows(index, "documents", prepared)


async def add_chunks(
    index: Index,
    chunks: Sequence[Chunk],
    parents: Sequence[Chunk],
    counted: Sequence[Counted],
) -> None:
    for table, rows in (("chunks", chunks), ("parents", parents)):
        cells = ((c.doc_id, c.position, c.title, c.section, c.text, c.parent) for c in rows)
        await copy_rows(index, table, cells)
    packed = ((c.doc_id, c.position, c.to_bytes()) for c in counted)
    await copy_rows(index, "counts", packed)


async def counted(index: Index) -> list[Counted]:
    """Return the counted terms of all chunks, in order of document and place."""
    cursor = index.connection.cursor(binary=True)
    await cursor.execute(
        index.query("SELECT doc_id, position, counted FROM {counts} ORDER BY doc_id, position")
    )
    return [Counted.from_bytes(*row) async for row in cursor]


async def replace_weights(
    index: Index,
    weights: Iterable[tuple[str, int, bytes]],
    terms: Iterable[tuple[int, int]],
) -> None:
    """Write all weights and document frequencies anew: they depend on the corpus as a whole."""
    await index.execute("DELETE FROM {weights}")
    await index.execute("DELETE FROM {terms}")
    await copy_rows(index, "weights", weights)
    await copy_rows(index, "terms", terms)


async def copy_rows(index: Index, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Append rows to one of the index's tables."""
    statement = index.query(f"COPY {{{table}}} FROM STDIN (FORMAT BINARY)")
    async with index.connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            await copy.write_row([Int4(cell) if isinstance(cell, int) else cell for cell in row])


async def open_snapshot(connection: Connection, key: str, corpus_hash: str) -> Index | None:
    """Begin a transaction that sees this index as it is now, whatever others do to it.

    Returns:
        None, and no transaction, where the index is gone or holds another corpus by now.
    """
    await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    try:
        index = await find(connection, key)
        if index is not None and index.corpus_hash == corpus_hash:
            names = TABLES if index.dimension else TABLES[:-1]
            # Held to the end, so that collection in another process cannot drop them.
            await index.execute(f"LOCK TABLE {_listed(names)} IN ACCESS SHARE MODE")
            return index
    except errors.UndefinedTable:
        pass
    await connection.execute("ROLLBACK")
    return None


async def collect_garbage(connection: Connection, corpus: str) -> None:
    """Drop replaced indexes, and all but the `KEEP` last used of this corpus.

    One that another process reads is left for the next time.
    """
    cursor = await connection.execute(
        "SELECT id FROM ragate.indexes WHERE corpus = %s ORDER BY key IS NULL, used_at DESC, id",
        (corpus,),
    )
    last_used = [row[0] for row in await cursor.fetchall()][:KEEP]
    cursor = await connection.execute(
        "SELECT id FROM ragate.indexes WHERE corpus = %s AND (key IS NULL OR id != ALL(%s))",
        (corpus, last_used),
    )
    for (index_id,) in await cursor.fetchall():
        await drop(Index(connection, index_id))


async def drop(index: Index) -> None:
    """Drop an index, unless another process reads it."""
    try:
        async with index.connection.transaction():
            await index.execute("SET LOCAL lock_timeout = '100ms'")
            await index.execute(f"DROP TABLE IF EXISTS {_listed(TABLES)}")
            await index.execute("DELETE FROM ragate.indexes WHERE id = %s", (index.id,))
    except (errors.LockNotAvailable, errors.DeadlockDetected):
        return


def _listed(names: Iterable[str]) -> str:
    """Return tables as `Index.query` takes them, with commas between."""
    return ", ".join(f"{{{name}}}" for name in names)


# The embeddings of an index: their table, and its one dimension.


async def store_vectors(
    index: Index,
    places: Sequence[tuple[str, int]],
    embeddings: npt.NDArray[np.float32],
    settings: Settings,
) -> Index:
    """Store vectors, by (document, position); the table is made with the first of them.

    A graph is built when the first vectors are in: that is several times faster than before.

    Raises:
        ConfigError: more dimensions than HNSW takes.
        DatabaseError: the embedder's dimension is not the index's.
    """
    dimension = int(embeddings.shape[1])
    new = index.dimension is None
    if new:
        index = await _create(index, dimension, hnsw=settings.index == "hnsw")
    check_dimension(index, dimension)
    rows = ((*chunk, vector) for chunk, vector in zip(places, embeddings, strict=True))
    await copy_rows(index, "vectors", rows)
    if new and settings.index == "hnsw":
        await build_graph(index, settings.hnsw)
    await index.execute("ANALYZE {vectors}")
    return index


def check_dimension(index: Index, dimension: int) -> None:
    """Raise DatabaseError where vectors of `dimension` do not fit the index."""
    if index.dimension != dimension:
        raise DatabaseError(
            f"the index holds embeddings of {index.dimension} dimensions, and the embedder now "
            f"returns {dimension}",
            remedy="run `ragate ingest --rebuild` to embed the corpus anew",
        )


async def _create(index: Index, dimension: int, *, hnsw: bool) -> Index:
    if hnsw and dimension > HNSW_LIMIT:
        raise ConfigError(
            f'[system] index = "hnsw" takes embeddings of up to {HNSW_LIMIT} dimensions; the '
            f"embedder returns {dimension}",
            remedy='use index = "exact", or set dimensions in [system.embedder]',
        )
    statement = _CREATE_VECTORS if dimension <= HNSW_LIMIT else _CREATE_VECTORS.split(";")[0]
    await index.execute(statement, dimension=dimension)
    return replace(index, dimension=dimension)


async def build_graph(index: Index, settings: HnswSettings) -> None:
    await index.execute("SET LOCAL maintenance_work_mem = '1GB'")
    # Workers share the graph in /dev/shm, of which a container has 64 MB.
    await index.execute("SET LOCAL max_parallel_maintenance_workers = 0")
    await index.execute(
        "CREATE INDEX ON {vectors} USING hnsw (embedding vector_cosine_ops) "
        "WITH (m = {m}, ef_construction = {ef_construction})",
        m=settings.m,
        ef_construction=settings.ef_construction,
    )
