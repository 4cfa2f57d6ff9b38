"""Bringing an index up to date with the corpus, in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import psycopg

from ragate.clients.http.retry import Course, FaultKind, Retry
from ragate.clients.provider_clock import waiting_for_worker
from ragate.database import describe
from ragate.errors import DatabaseError
from ragate.models.progress import Progress, Show
from ragate.protocols import Database, Embedder
from ragate.systems.pgvector import tables
from ragate.systems.pgvector.corpus import Corpus, Document
from ragate.systems.pgvector.metadata import check_fields, fields_of
from ragate.systems.pgvector.settings import Settings
from ragate.systems.pgvector.tables import Connection, Index, store_vectors
from ragate.systems.pgvector.terms import Analyzer, Counted, document_frequencies, weigh

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ragate.systems.pgvector.chunking import Chunk


T = TypeVar("T")
_BROKEN = (psycopg.OperationalError, psycopg.errors.InFailedSqlTransaction)
TRIES = 3  # of opening a contended index
AWAY_S = 60.0  # a server that was there and went away is waited for
_LOOK_S = 0.5
_RETRY = Retry(tries=3, base_s=0.4)  # of a database call whose connection was lost


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
    show: Show


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
        await _update(index, work)
    await tables.collect_garbage(connection, work.corpus_name)


async def _is_current(connection: Connection, work: Work) -> bool:
    index = await tables.find(connection, work.key)
    if index is None or index.corpus_hash != work.corpus.hash:
        return False
    await tables.touch(index)
    return True


async def _update(index: Index, work: Work) -> None:
    stored = await tables.hashes(index)
    documents = work.corpus.documents
    changed = [document for document in documents if stored.get(document.doc_id) != document.hash]
    gone = stored.keys() - {document.doc_id for document in documents}
    stale = sorted(gone | (stored.keys() & {document.doc_id for document in changed}))
    if stale:
        await tables.remove(index, stale)
    if changed:
        index = await _add(index, work, changed)
    index = await weigh_all(index, work)
    await tables.finish(replace(index, corpus_hash=work.corpus.hash))
    new = len([document for document in changed if document.doc_id not in stored])
    work.say(
        f"ingested {len(documents)} documents ({new} new, {len(changed) - new} changed, "
        f"{len(gone)} gone): {index.chunks} chunks"
    )


async def _add(index: Index, work: Work, documents: Sequence[Document]) -> Index:
    from ragate.systems.pgvector.chunking import cut

    settings = work.settings
    chunks, parents = cut(documents, settings)
    rows = [(page.doc_id, page.hash, fields_of(page, settings)) for page in documents]
    await tables.add_documents(index, rows)
    await tables.add_chunks(index, chunks, parents, count(chunks, work))
    return await add_vectors(index, chunks, work)


async def add_vectors(index: Index, chunks: Sequence[Chunk], work: Work) -> Index:
    """Embed the chunks and store the vectors, where there is an embedder.

    Raises:
        ConfigError, DatabaseError: as for `store_vectors`.
    """
    if work.embedder is None or not chunks:
        return index
    texts = [chunk.searched(work.settings.prefix) for chunk in chunks]
    embeddings = await embedded(texts, work.embedder, work.show)
    places = [(chunk.doc_id, chunk.position) for chunk in chunks]
    return await store_vectors(index, places, embeddings, work.settings)


async def embedded(texts: Sequence[str], embedder: Embedder, show: Show) -> npt.NDArray[np.float32]:
    """Return an array of shape (len(texts), dimension), and show how far it is."""
    import numpy as np

    done = 0

    async def embed(portion: Sequence[str]) -> npt.NDArray[np.float32]:
        nonlocal done
        vectors = await embedder(portion)
        done += len(portion)
        show(Progress("embedding", done, len(texts), "passages"))
        return vectors

    size = embedder.portion
    portions = [texts[start : start + size] for start in range(0, len(texts), size)]
    show(Progress("embedding", 0, len(texts), "passages"))
    return np.concatenate(await asyncio.gather(*map(embed, portions)))


def count(chunks: Sequence[Chunk], work: Work) -> list[Counted]:
    """Return the counted terms of the chunks, of what stands above them too."""
    prefix, analyzer = work.settings.prefix, work.analyzer
    return [
        Counted.from_counts(chunk.doc_id, chunk.position, analyzer.counts(chunk.searched(prefix)))
        for chunk in chunks
    ]


async def weigh_all(index: Index, work: Work) -> Index:
    chunks = await tables.counted(index)
    total = sum(chunk.length for chunk in chunks)
    average = total / len(chunks) if chunks else 0.0
    weights = weigh(chunks, work.settings.bm25, average)
    await tables.replace_weights(
        index,
        ((c.doc_id, c.position, tf) for c, tf in zip(chunks, weights, strict=True)),
        document_frequencies(chunks),
    )
    return replace(index, chunks=len(chunks), total_length=total)


# One state of an index, held by a connection that is opened again where it breaks.


class Snapshot:
    """One state of an index, from which all questions of a run are answered.

    Args:
        work: Returns what an ingestion of the corpus needs.
    """

    def __init__(self, database: Callable[[], Database], work: Callable[[], Work]) -> None:
        self._database = database
        self._work = work
        self._connection: Connection | None = None
        self._index: Index | None = None
        self._was_there = False

    async def opened(self) -> Index:
        """Return the index, on the connection that holds the snapshot."""
        if self._index is None:
            await self.open()
        assert self._index is not None
        return self._index

    async def open(self, *, rebuild: bool = False) -> None:
        """Ingest what changed and begin the snapshot that all questions are answered from."""
        work = self._work()
        self._connection = await tables.connect(self._database().conninfo())
        self._was_there = True
        for _ in range(TRIES):
            await ingest(self._connection, work, rebuild=rebuild)
            rebuild = False
            self._index = await tables.open_snapshot(self._connection, work.key, work.corpus.hash)
            if self._index is not None:
                if work.settings.filtered:
                    fields = await tables.metadata_fields(self._index)
                    check_fields(fields, work.settings)
                return
        raise DatabaseError(
            "another process keeps changing this index to another state of the corpus",
            remedy="run one of them at a time, or give each its own database",
        )

    async def close(self) -> None:
        """Close the connection, and with it the snapshot."""
        connection, self._connection, self._index = self._connection, None, None
        if connection is not None:
            await connection.close()

    async def guarded(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what `call` returns; a connection that broke is opened again a few times.

        A sample that ran out of time leaves its transaction failed, which is mended the same way.
        A server that was there and went away is waited for, in nobody's time.
        """
        course = Course(_RETRY)
        while True:
            try:
                return await call()
            except psycopg.Error as error:
                await self.close()
                wait = course.wait_after(FaultKind.FAILED) if isinstance(error, _BROKEN) else None
                if wait is None:
                    raise describe(error, self._database().conninfo()) from error
                if self._was_there and is_lost(error):
                    await self._wait_for_server(error)
                    continue
            await asyncio.sleep(wait)

    async def _wait_for_server(self, lost: psycopg.Error) -> None:
        """Return when the server takes connections again.

        Raises:
            DatabaseError: it did not within `AWAY_S`.
        """
        conninfo = self._database().conninfo()
        clock = asyncio.get_running_loop()
        end, is_said = clock.time() + AWAY_S, False
        with waiting_for_worker():
            while clock.time() < end:
                if await _takes_connections(conninfo, end):
                    return
                if not is_said:
                    self._work().say(f"Postgres went away; it is waited for, up to {AWAY_S:g} s")
                    is_said = True
                await asyncio.sleep(_LOOK_S)
        error = describe(lost, conninfo)
        raise DatabaseError(
            f"{error.message}; it was there before, and did not come back within {AWAY_S:g} s",
            remedy="see the server's log, start it again and run the command once more; what was "
            "finished is kept",
        ) from lost


async def _takes_connections(conninfo: str, end: float) -> bool:
    try:
        async with asyncio.timeout_at(end):
            connection = await tables.connect(conninfo)
            await connection.close()
    except (psycopg.Error, TimeoutError):
        return False
    return True


def is_lost(error: psycopg.Error) -> bool:
    """Return whether an error says that the server went away, or is not back yet."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))
