"""The tables of one index, and everything that is asked of them in SQL."""

import zlib
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncConnection, sql

from ragate.database.schema import ADVISORY_CLASS
from ragate.systems.pgvector.index.terms import DIMENSIONS

Connection = AsyncConnection[tuple[Any, ...]]
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
    """One index as it is registered.

    Attributes:
        dimension: Of its embeddings; None where it has none.
    """

    id: int
    corpus_hash: str
    chunks: int
    total_length: int
    dimension: int | None

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
    return None if row is None else Index(*row)


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
    index = Index(row[0], "", 0, 0, None)
    await connection.execute(index.query(_CREATE, size=DIMENSIONS))
    return index


async def touch(connection: Connection, index: Index) -> None:
    """Note that the index is in use; collection removes the ones that were not for longest."""
    await connection.execute("UPDATE ragate.indexes SET used_at = now() WHERE id = %s", (index.id,))


async def finish(connection: Connection, index: Index) -> None:
    """Write what is known of the index after its ingestion."""
    await connection.execute(
        "UPDATE ragate.indexes SET corpus_hash = %s, chunks = %s, total_length = %s, "
        "dimension = %s, used_at = now() WHERE id = %s",
        (index.corpus_hash, index.chunks, index.total_length, index.dimension, index.id),
    )
    for name in ("chunks", "weights", "terms"):
        await connection.execute(sql.SQL("ANALYZE {}").format(index.table(name)))
