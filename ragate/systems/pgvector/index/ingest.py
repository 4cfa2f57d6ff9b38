"""Bringing an index up to date with the corpus, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragate.protocols import Embedder
from ragate.systems.pgvector.corpus.files import Corpus, Document
from ragate.systems.pgvector.corpus.metadata import fields_of
from ragate.systems.pgvector.index import index_rows, lifetime, tables
from ragate.systems.pgvector.index.bm25_weights import Counted, document_frequencies, weigh
from ragate.systems.pgvector.index.tables import Connection, Index
from ragate.systems.pgvector.index.terms import Analyzer
from ragate.systems.pgvector.index.vectors import add_vectors
from ragate.systems.pgvector.settings import Settings

if TYPE_CHECKING:
    from ragate.systems.pgvector.corpus.chunking import Chunk


@dataclass(frozen=True)
class Work:
    """What an ingestion needs to know.

    Attributes:
        key: Identity of the index: corpus folder, chunking, weights, embedder.
        parts: The same without the folder, by name.
        corpus_name: Identity of the corpus folder, shared by its indexes.
    """

    key: str
    parts: Mapping[str, str]
    corpus_name: str
    corpus: Corpus
    settings: Settings
    analyzer: Analyzer
    embedder: Embedder | None
    say: Callable[[str], None]


async def ingest(connection: Connection, work: Work, *, rebuild: bool) -> None:
    """Make the index hold exactly the corpus; unchanged documents are not touched.

    All or nothing: a killed ingestion leaves the index as it was. A second process that wants the
    same waits for the first and then finds nothing to do.
    """
    if not rebuild and await _is_current(connection, work):
        return
    async with connection.transaction():
        if not await tables.lock(connection, work.key, wait=False):
            work.say("another process is ingesting this corpus; waiting for it")
            await tables.lock(connection, work.key, wait=True)
        if not rebuild and await _is_current(connection, work):
            return
        index = None if rebuild else await tables.find(connection, work.key)
        index = index or await tables.create(connection, work.key, work.corpus_name)
        await _update(connection, index, work)
    await lifetime.collect_garbage(connection, work.corpus_name)


async def _is_current(connection: Connection, work: Work) -> bool:
    index = await tables.find(connection, work.key)
    if index is None or index.corpus_hash != work.corpus.hash:
        return False
    await tables.touch(connection, index)
    return True


async def _update(connection: Connection, index: Index, work: Work) -> None:
    stored = await index_rows.hashes(connection, index)
    documents = work.corpus.documents
    changed = [document for document in documents if stored.get(document.doc_id) != document.hash]
    gone = stored.keys() - {document.doc_id for document in documents}
    stale = sorted(gone | (stored.keys() & {document.doc_id for document in changed}))
    if stale:
        await index_rows.remove(connection, index, stale)
    if changed:
        index = await _add(connection, index, work, changed)
    index = await weigh_all(connection, index, work)
    await tables.finish(connection, replace(index, corpus_hash=work.corpus.hash))
    new = len([document for document in changed if document.doc_id not in stored])
    work.say(
        f"ingested {len(documents)} documents ({new} new, {len(changed) - new} changed, "
        f"{len(gone)} gone): {index.chunks} chunks"
    )


async def _add(
    connection: Connection, index: Index, work: Work, documents: Sequence[Document]
) -> Index:
    from ragate.systems.pgvector.corpus.chunking import cut

    settings = work.settings
    chunks, parents = cut(documents, settings)
    rows = [(page.doc_id, page.hash, fields_of(page, settings)) for page in documents]
    await index_rows.add_documents(connection, index, rows)
    await index_rows.add_chunks(connection, index, chunks, parents, count(chunks, work))
    if work.embedder is None:
        return index
    return await add_vectors(connection, index, chunks, work.embedder, settings)


def count(chunks: Sequence[Chunk], work: Work) -> list[Counted]:
    """Return the counted terms of the chunks, of what stands above them too."""
    prefix, analyzer = work.settings.prefix, work.analyzer
    return [
        Counted.from_counts(chunk.doc_id, chunk.position, analyzer.counts(chunk.searched(prefix)))
        for chunk in chunks
    ]


async def weigh_all(connection: Connection, index: Index, work: Work) -> Index:
    chunks = await index_rows.counted(connection, index)
    total = sum(chunk.length for chunk in chunks)
    average = total / len(chunks) if chunks else 0.0
    weights = weigh(chunks, work.settings.bm25, average)
    await index_rows.replace_weights(
        connection,
        index,
        ((c.doc_id, c.position, tf) for c, tf in zip(chunks, weights, strict=True)),
        document_frequencies(chunks),
    )
    return replace(index, chunks=len(chunks), total_length=total)
