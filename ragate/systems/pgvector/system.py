"""The built-in RAG: ingestion, retrieval and an answer, as a system under test."""

import asyncio
import time
from importlib.metadata import PackageNotFoundError, version

from ragate.clients.provider_clock import waiting_for_worker
from ragate.core.hashing import digest
from ragate.core.plain_settings import json_by_key
from ragate.errors import ProviderError
from ragate.files.prompt_file import PromptFile
from ragate.models import (
    Reads,
    RetrievedChunk,
    Sample,
    SystemInfo,
    SystemOutput,
    Usage,
    failed_output,
)
from ragate.protocols import Embedder, Reranker, Resources
from ragate.spans import Spanned, span
from ragate.systems.pgvector import ranked_search
from ragate.systems.pgvector.answer import extract, load_prompt, message_of, reads_date, written
from ragate.systems.pgvector.corpus import Corpus, read_corpus
from ragate.systems.pgvector.ingest import Snapshot, Work
from ragate.systems.pgvector.metadata import conditions
from ragate.systems.pgvector.ranked_search import Question
from ragate.systems.pgvector.retrieval import rerank, retrieve
from ragate.systems.pgvector.settings import Settings
from ragate.systems.pgvector.terms import Analyzer

INDEX_VERSION = 2  # raised whenever the same settings would give other chunks or other scores


class PgvectorSystem:
    """A RAG on Postgres with pgvector.

    All questions are answered from one snapshot of the index, so that another process that
    ingests a changed corpus meanwhile cannot mix two corpora into one run.
    """

    # The index is held against the corpus by its hash before it is asked.
    identifies_state = True

    def __init__(self, settings: Settings, resources: Resources) -> None:
        self.max_runs: int | None = None
        self.settings = settings
        self._resources = resources
        self._top_k = resources.top_k or settings.top_k
        self._analyzer = Analyzer(settings.bm25)
        self.embedder = _embedder(settings, resources)
        self.reranker = _reranker(settings, resources)
        self._prompt: PromptFile | None = None
        if settings.answer.use == "chat":
            self._prompt = load_prompt(resources.root, settings.answer)
        self._corpus: Corpus | None = None
        self.snapshot = Snapshot(lambda: resources.database, self.work)
        self._turn = asyncio.Lock()
        self.info: SystemInfo = self._describe("")

    @property
    def reads_date(self) -> bool:
        """True where the prompt names the date on which it is asked."""
        return self._prompt is not None and reads_date(self._prompt)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Read the corpus, bring the index up to date and open it."""
        await self.snapshot.close()
        self.read()
        await self.snapshot.guarded(lambda: self.snapshot.open(rebuild=rebuild))

    def read(self) -> None:
        """Read the corpus; the database is not asked."""
        self._corpus = read_corpus(self._resources.root, self.settings.corpus)
        self.info = self._describe(self._corpus.hash)

    def conninfo(self) -> str:
        """Return where the index is."""
        return self._resources.database.conninfo()

    async def documents(self) -> frozenset[str] | None:
        """Return the ids of all documents of the corpus, those without any text included."""
        if self._corpus is None:
            return None
        return frozenset(document.doc_id for document in self._corpus.documents)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return chunks and answer; a provider that fails is reported as such."""
        start = time.perf_counter()
        try:
            output = await self._answer(sample, run)
        except ProviderError as error:
            output = failed_output("provider", error.message)
        return output.amended(latency_s=time.perf_counter() - start)

    def _describe(self, corpus_hash: str) -> SystemInfo:
        """Return what is told of the system; it is complete once the corpus is read."""
        shown = self.settings.model_dump(mode="json", exclude={"corpus"})
        parts = {
            "settings": digest([INDEX_VERSION, shown, self._top_k]),
            "corpus": corpus_hash,
            "parsers": _parsers(),
        }
        if self._prompt is not None:
            parts["prompt"] = digest(self._prompt.text)
        if self.embedder is not None:
            parts["embedder"] = self.embedder.fingerprint
        if self.reranker is not None:
            parts["reranker"] = self.reranker.fingerprint
        embeds_alike = self.embedder is not None and self.embedder.deterministic
        return SystemInfo(
            use="pgvector",
            fingerprint=digest(parts) if corpus_hash else "",
            deterministic=_deterministic(self.settings, embeds_alike=embeds_alike),
            parts=parts,
            settings=dict(json_by_key(shown | {"top_k": self._top_k})),
        )

    async def _answer(self, sample: Sample, run: int) -> SystemOutput:
        before: tuple[str, ...] | None = None
        with span(Spanned.RETRIEVAL) as note:
            chunks, weights = await self._found(sample)
            if self.reranker is not None:
                limit = self._top_k
                chunks, before = await rerank(self.reranker, sample.query, chunks, limit=limit)
            note(chunks=len(chunks))
        output = await self._written(sample, chunks, weights, run)
        return output if before is None else output.amended(first_stage=before)

    async def _found(self, sample: Sample) -> tuple[tuple[RetrievedChunk, ...], dict[int, float]]:
        """Return the passages of the first stage, and the idf of the question's words."""
        counts = self._analyzer.counts(sample.query)
        embedding = (await self.embedder([sample.query]))[0] if self.embedder else None
        allowed = conditions(self.settings, sample)
        limit = self._top_k
        if self.reranker is not None:
            limit = max(limit, self.settings.rerank.candidates)

        async def search() -> tuple[tuple[RetrievedChunk, ...], dict[int, float]]:
            index = await self.snapshot.opened()
            weights = await ranked_search.weights_of(index, counts)
            question = Question(counts, weights, embedding, allowed)
            hits = await retrieve(index, question, self.settings, wanted=limit)
            return await ranked_search.texts(index, hits), weights

        with waiting_for_worker():  # another sample has the connection, which holds the snapshot
            await self._turn.acquire()
        try:
            return await self.snapshot.guarded(search)
        finally:
            self._turn.release()

    async def _written(
        self,
        sample: Sample,
        chunks: tuple[RetrievedChunk, ...],
        weights: dict[int, float],
        run: int,
    ) -> SystemOutput:
        """Return the output with an answer, where one is wanted."""
        calls = (self.embedder is not None) + (self.settings.rerank.use == "endpoint")
        usage = Usage(calls=calls) if calls else None
        if self._resources.retrieval_only:
            return SystemOutput(chunks=chunks, usage=usage)
        if self._prompt is not None:
            today = str(sample.metadata.get("eval_date", ""))
            refusal = self.settings.answer.refusal
            message = message_of(self._prompt, sample.query, chunks, refusal, today=today)
            keys, clients = self.settings.answer, self._resources.chat
            return await written(
                clients,
                message,
                chunks,
                keys,
                turns=sample.messages,
                usage=usage or Usage(),
                draw=run,
            )
        text, citations = extract(weights, chunks, self._analyzer, self.settings.answer)
        return SystemOutput(chunks=chunks, answer=text, citations=citations, usage=usage)

    def work(self) -> Work:
        """Return what an ingestion of the corpus needs."""
        assert self._corpus is not None, "read first"
        settings = self.settings
        folder = (self._resources.root / settings.corpus).resolve()
        parts = index_parts(settings, self.embedder.fingerprint if self.embedder else "")
        return Work(
            key=digest([str(folder), parts]),
            parts=parts,
            corpus_name=str(folder),
            corpus=self._corpus,
            settings=settings,
            analyzer=self._analyzer,
            embedder=self.embedder,
            say=self._resources.say,
            show=self._resources.progress,
        )


def _embedder(settings: Settings, resources: Resources) -> Embedder | None:
    if not settings.dense or settings.embedder is None:
        return None
    return resources.embedder(settings.embedder)


def _reranker(settings: Settings, resources: Resources) -> Reranker | None:
    if settings.rerank.use == "none" or resources.reranker is None:
        return None
    return resources.reranker(settings.rerank.own)


# What makes an index and a system itself: their fingerprints.


def index_parts(settings: Settings, embedder: str) -> dict[str, str]:
    """Return what an index's rows depend on besides the documents, by name."""
    parents = settings.parents
    chunking = [settings.chunk_size, settings.chunk_overlap, settings.markdown]
    hnsw = [settings.hnsw.m, settings.hnsw.ef_construction] if settings.index == "hnsw" else None
    return {
        "version": str(INDEX_VERSION),
        "parsers": _parsers(),
        "chunking": digest([*chunking, parents.model_dump() if parents.use != "none" else None]),
        "words": digest([settings.prefix, settings.bm25.model_dump()]),
        "metadata": digest(settings.path_fields if settings.filtered else None),
        "embedder": embedder if settings.dense else "",
        "graph": digest(hnsw) if settings.dense else "",
    }


def _deterministic(settings: Settings, *, embeds_alike: bool) -> frozenset[Reads]:
    """A model may answer the same input otherwise next time: embeddings and ranks included.

    An HNSW graph that is built again differs, and so may what is found in it.

    Args:
        embeds_alike: The embedder gives the same text the same vector every time.
    """
    exact = settings.index == "exact" and embeds_alike
    if settings.rerank.use != "none" or (settings.dense and not exact):
        return frozenset()
    if settings.answer.use == "chat":
        return frozenset({Reads.RETRIEVAL})
    return frozenset({Reads.RETRIEVAL, Reads.ANSWER})


def _parsers() -> str:
    try:
        return f"llama-index-core {version('llama-index-core')}"
    except PackageNotFoundError:
        return "llama-index-core"
