"""What makes an index and a system itself: their fingerprints."""

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ragate.core.hashing import digest
from ragate.models import Reads, SystemInfo
from ragate.systems.pgvector.settings import Settings

INDEX_VERSION = 2  # raised whenever the same settings would give other chunks or other scores


def index_key(corpus: Path, settings: Settings, embedder: str) -> str:
    """Return the identity of an index: all that its rows depend on, except the documents."""
    return digest([str(corpus), index_parts(settings, embedder)])


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


def system_info(
    settings: Settings,
    *,
    top_k: int,
    corpus_hash: str,
    prompt: str,
    embedder: str,
    reranker: str = "",
    embeds_alike: bool = False,
) -> SystemInfo:
    """Return what is told of the system; it is complete once the corpus is read.

    Args:
        embeds_alike: The embedder gives the same text the same vector every time.
    """
    shown = settings.model_dump(mode="json", exclude={"corpus"})
    parts = {
        "settings": digest([INDEX_VERSION, shown, top_k]),
        "corpus": corpus_hash,
        "parsers": _parsers(),
    }
    if settings.answer.use == "chat":
        parts["prompt"] = digest(prompt)
    if settings.dense:
        parts["embedder"] = embedder
    if reranker:
        parts["reranker"] = reranker
    return SystemInfo(
        use="pgvector",
        fingerprint=digest(parts) if corpus_hash else "",
        deterministic=_deterministic(settings, embeds_alike=embeds_alike),
        parts=parts,
        settings=dict(_flat(shown | {"top_k": top_k})),
    )


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value that is set, as JSON, with the dotted key under ``[system]``."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        elif value is not None:
            yield f"{above}{key}", json.dumps(value, ensure_ascii=False, sort_keys=True)


def _deterministic(settings: Settings, *, embeds_alike: bool) -> frozenset[Reads]:
    """A model may answer the same input otherwise next time: embeddings and ranks included.

    An HNSW graph that is built again differs, and so may what is found in it.
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
