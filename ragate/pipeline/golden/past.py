"""What documents said that are gone: from git, or from what the baseline retrieved of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ragate.baseline import load_baseline, load_contexts
from ragate.config import Config
from ragate.errors import RagateError
from ragate.systems.pgvector.corpus import SUFFIXES
from ragate.systems.pgvector.documents import readable
from ragate.vcs import file_at, last_commit_with, repository

Past = dict[str, tuple[Literal["git", "baseline"], str]]


@dataclass(frozen=True)
class Memory:
    """What is known of the time when the documents were there.

    Attributes:
        commit: Of the baseline, "" where unknown; else the last one that wrote the file counts.
        passages: What the baseline stored of retrieved documents (``store = "full"``), by document.
    """

    commit: str = ""
    passages: Mapping[str, str] = field(default_factory=dict)


def remember(config: Config | None) -> Memory:
    """Return what the baseline tells; nothing where there is none, or it cannot be read."""
    if config is None:
        return Memory()
    try:
        commit = load_baseline(config.baseline).manifest.commit
        stored = load_contexts(config.baseline)
    except RagateError:
        return Memory()
    parts: dict[str, dict[str, None]] = defaultdict(dict)
    for chunks in stored.values():
        for chunk in chunks:
            if chunk.text:
                parts[chunk.doc_id][chunk.text] = None
    return Memory(commit, {doc_id: "\n\n".join(texts) for doc_id, texts in parts.items()})


def old_texts(gone: Sequence[str], config: Config | None, memory: Memory) -> Past:
    """Return the old texts that can be had, by document: git's first."""
    found: Past = {
        doc_id: ("baseline", memory.passages[doc_id])
        for doc_id in gone
        if doc_id in memory.passages
    }
    return found | (_committed(gone, config, memory.commit) if config is not None else {})


def _committed(gone: Sequence[str], config: Config, commit: str) -> Past:
    corpus = config.system.settings.get("corpus")
    top = repository(config.root)
    if not isinstance(corpus, str) or top is None:
        return {}
    folder = (config.root / corpus).resolve()
    if not folder.is_relative_to(top):
        return {}
    found: Past = {}
    for doc_id in gone:
        path = (folder.relative_to(top) / doc_id).as_posix()
        text = readable(_text(top, path, commit), SUFFIXES.get(Path(path).suffix.lower(), ""))
        if text:
            found[doc_id] = ("git", text)
    return found


def _text(top: Path, path: str, commit: str) -> str:
    text = file_at(top, commit, path) if commit else ""
    if not text:
        last = last_commit_with(top, path)
        text = file_at(top, last, path) if last else ""
    return text
