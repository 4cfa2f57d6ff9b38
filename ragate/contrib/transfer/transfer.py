"""An index into a file, and out of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragate.contrib.transfer.index_file import OF_VECTORS, Content, Header, pack
from ragate.errors import UsageError
from ragate.systems.pgvector import tables
from ragate.systems.pgvector.chunking import Chunk
from ragate.systems.pgvector.ingest import Work, add_vectors, count, weigh_all
from ragate.systems.pgvector.tables import Index

if TYPE_CHECKING:
    from ragate.systems.pgvector.system import PgvectorSystem

_CHUNKS = """
SELECT doc_id, position, text, title, section, parent FROM {chunks} ORDER BY doc_id, position
"""
_WORDS = {
    "version": "another version of ragate",
    "parsers": "another version of LlamaIndex",
    "chunking": "other keys of chunking",
    "words": "other keys of [system.bm25], or another prefix",
    "metadata": "other keys of filters",
    "embedder": "another embedder or model",
    "graph": "another kind of index",
}


@dataclass(frozen=True)
class Restored:
    """What a restored index holds.

    Attributes:
        other: Documents of the corpus that it lacks or holds in another state, and documents that
            it holds and the corpus does not: the next ingestion mends them.
    """

    documents: int
    chunks: int
    other: int


async def dump(system: PgvectorSystem, *, texts: bool) -> tuple[Content, bytes]:
    """Return the index, brought up to date, and the file of it.

    Args:
        texts: Vectors are left out.
    """
    await system.prepare()
    index = await system.snapshot.opened()
    content = await _content(index, texts=texts)
    parts = system.work().parts
    if texts:
        parts = {name: value for name, value in parts.items() if name not in OF_VECTORS}
    return content, pack(content, parts)


async def _content(index: Index, *, texts: bool) -> Content:
    content = Content(
        documents=await index.rows(
            "SELECT doc_id, hash, metadata FROM {documents} ORDER BY doc_id"
        ),
        chunks=[Chunk(*row) for row in await index.rows(_CHUNKS)],
        parents=[Chunk(*row) for row in await index.rows(_CHUNKS.replace("chunks", "parents"))],
    )
    if index.dimension and not texts:
        vectors = await index.rows("SELECT embedding FROM {vectors} ORDER BY doc_id, position")
        content.vectors = [vector.to_numpy() for (vector,) in vectors]
    return content


async def restore(
    system: PgvectorSystem, read: Callable[[], tuple[Header, Content]], where: str
) -> Restored:
    """Make the index from what `read` gives, all or nothing.

    A file of the texts alone is embedded here, where the settings want vectors.

    Args:
        where: What the file is called in messages.

    Raises:
        StorageError: the file is none, or damaged.
        UsageError: it was made with other settings or another model, or from another corpus.
        ProviderError: the texts could not be embedded.
    """
    header, content = read()
    system.read()
    work = system.work()
    _check_parts(header, work, where)
    corpus_hashes = {document.doc_id: document.hash for document in work.corpus.documents}
    file_hashes = {doc_id: hashed for doc_id, hashed, _ in content.documents}
    names = corpus_hashes.keys() | file_hashes.keys()
    other = {name for name in names if corpus_hashes.get(name) != file_hashes.get(name)}
    if corpus_hashes and len(other) == len(names):
        raise UsageError(
            f"{where}: an index of another corpus: it shares no document with {work.corpus_name}",
            remedy="check [system] corpus, or run `ragate ingest`",
        )
    connection = await tables.connect(system.conninfo())
    try:
        async with connection.transaction():
            await tables.lock(connection, work.key, wait=True)
            index = await tables.create(connection, work.key, work.corpus_name)
            await _fill(index, content, work)
        await tables.collect_garbage(connection, work.corpus_name)
    finally:
        await connection.close()
    return Restored(len(content.documents), len(content.chunks), len(other))


def _check_parts(header: Header, work: Work, where: str) -> None:
    """Raise UsageError where the index would not be the one that these settings make."""
    of_texts = OF_VECTORS.isdisjoint(header.parts)
    parts = {
        name: value for name, value in work.parts.items() if not (of_texts and name in OF_VECTORS)
    }
    wrong = [name for name, value in parts.items() if header.parts.get(name) != value]
    if wrong or header.parts.keys() != parts.keys():
        reasons = "; ".join(_WORDS[name] for name in wrong) or "other keys"
        raise UsageError(
            f"{where}: made with {reasons}",
            remedy="restore it with the settings it was made with, or run `ragate ingest`",
        )


async def _fill(index: Index, content: Content, work: Work) -> None:
    import numpy as np

    await tables.add_documents(index, content.documents)
    counted = count(content.chunks, work)
    await tables.add_chunks(index, content.chunks, content.parents, counted)
    if content.vectors:
        places = [(chunk.doc_id, chunk.position) for chunk in content.chunks]
        vectors = np.array(content.vectors, dtype=np.float32)
        index = await tables.store_vectors(index, places, vectors, work.settings)
    else:
        index = await add_vectors(index, content.chunks, work)
    index = await weigh_all(index, work)
    await tables.finish(replace(index, corpus_hash=content.corpus_hash))
