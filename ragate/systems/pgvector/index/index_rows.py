"""The rows of one index: documents, chunks and weights, written and read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.types.json import Jsonb
from psycopg.types.numeric import Int4

from ragate.systems.pgvector.index.bm25_weights import Counted
from ragate.systems.pgvector.index.tables import Connection, Index

if TYPE_CHECKING:
    from ragate.systems.pgvector.corpus.chunking import Chunk


async def hashes(connection: Connection, index: Index) -> dict[str, str]:
    cursor = await connection.execute(index.query("SELECT doc_id, hash FROM {documents}"))
    return dict(await cursor.fetchall())


async def metadata_fields(connection: Connection, index: Index) -> set[str]:
    """Return the names of all fields that any document has."""
    cursor = await connection.execute(
        index.query("SELECT DISTINCT jsonb_object_keys(metadata) FROM {documents}")
    )
    return {row[0] for row in await cursor.fetchall()}


async def remove(connection: Connection, index: Index, doc_ids: Sequence[str]) -> None:
    """Remove documents with everything that belongs to them."""
    names = ["documents", "chunks", "parents", "counts"] + (["vectors"] if index.dimension else [])
    for name in names:
        await connection.execute(
            sql.SQL("DELETE FROM {} WHERE doc_id = ANY(%s)").format(index.table(name)),
            (list(doc_ids),),
        )


async def add_documents(
    connection: Connection, index: Index, rows: Iterable[tuple[str, str, Mapping[str, Any]]]
) -> None:
    """Add documents: id, hash and metadata."""
    prepared = ((doc_id, content, Jsonb(fields)) for doc_id, content, fields in rows)
    await copy_rows(connection, index, "documents", prepared)


async def add_chunks(
    connection: Connection,
    index: Index,
    chunks: Sequence[Chunk],
    parents: Sequence[Chunk],
    counted: Sequence[Counted],
) -> None:
    for table, rows in (("chunks", chunks), ("parents", parents)):
        cells = ((c.doc_id, c.position, c.title, c.section, c.text, c.parent) for c in rows)
        await copy_rows(connection, index, table, cells)
    packed = ((c.doc_id, c.position, c.to_bytes()) for c in counted)
    await copy_rows(connection, index, "counts", packed)


async def counted(connection: Connection, index: Index) -> list[Counted]:
    """Return the counted terms of all chunks, in order of document and place."""
    cursor = connection.cursor(binary=True)
    await cursor.execute(
        index.query("SELECT doc_id, position, counted FROM {counts} ORDER BY doc_id, position")
    )
    return [Counted.from_bytes(*row) async for row in cursor]


async def replace_weights(
    connection: Connection,
    index: Index,
    weights: Iterable[tuple[str, int, bytes]],
    terms: Iterable[tuple[int, int]],
) -> None:
    """Write all weights and document frequencies anew: they depend on the corpus as a whole."""
    await connection.execute(index.query("DELETE FROM {weights}"))
    await connection.execute(index.query("DELETE FROM {terms}"))
    await copy_rows(connection, index, "weights", weights)
    await copy_rows(connection, index, "terms", terms)


async def copy_rows(
    connection: Connection, index: Index, table: str, rows: Iterable[tuple[Any, ...]]
) -> None:
    """Append rows to one of the index's tables."""
    statement = index.query(f"COPY {{{table}}} FROM STDIN (FORMAT BINARY)")
    async with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            await copy.write_row([Int4(cell) if isinstance(cell, int) else cell for cell in row])
