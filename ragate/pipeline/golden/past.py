"""What documents said that are gone: from git, or from what the baseline retrieved of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ragate.baseline import load_baseline, load_contexts
from ragate.config import Config
from ragate.errors import DatasetError, RagateError
from ragate.support.git import file_at, head_commit, last_commit_with, repository
from ragate.support.strict_json import loads
from ragate.systems.pgvector.corpus.files import SUFFIXES, readable

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
    passages: dict[str, dict[str, None]] = defaultdict(dict)
    for chunks in stored.values():
        for chunk in chunks:
            if chunk.text:
                passages[chunk.doc_id][chunk.text] = None
    return Memory(commit, {doc_id: "\n\n".join(texts) for doc_id, texts in passages.items()})


def old_texts(
    gone: Sequence[str], config: Config | None, memory: Memory, corpus: Path | None = None
) -> Past:
    """Return the old texts that can be had, by document: git's first.

    Args:
        corpus: The folder of the documents, where the configuration does not name it.
    """
    retrieved: Past = {
        doc_id: ("baseline", memory.passages[doc_id])
        for doc_id in gone
        if doc_id in memory.passages
    }
    folder = corpus.resolve() if corpus is not None else _configured_corpus(config)
    return retrieved | (_committed(gone, folder, memory.commit) if folder is not None else {})


def _configured_corpus(config: Config | None) -> Path | None:
    corpus = config.system.settings.get("corpus") if config is not None else None
    return (config.root / corpus).resolve() if config and isinstance(corpus, str) else None


def _committed(gone: Sequence[str], folder: Path, commit: str) -> Past:
    top = repository(folder)
    if top is None:
        return {}
    lines = (folder.relative_to(top) / "corpus.jsonl").as_posix()
    committed: Past = dict(_lines(top, lines, commit, frozenset(gone)))
    for doc_id in [doc_id for doc_id in gone if doc_id not in committed]:
        path = (folder.relative_to(top) / doc_id).as_posix()
        text = readable(_text(top, path, commit), SUFFIXES.get(Path(path).suffix.lower(), ""))
        if text:
            committed[doc_id] = ("git", text)
    return committed


def _lines(
    top: Path, path: str, commit: str, gone: frozenset[str]
) -> Iterator[tuple[str, tuple[Literal["git"], str]]]:
    """Yield lost documents of a BEIR ``corpus.jsonl``, of the baseline's commit or the last one."""
    for at in (head_commit(top), commit):  # what the baseline's says wins
        for line in file_at(top, at, path).split("\n"):
            try:
                row = loads(line, where=path, error=DatasetError) if line.strip() else None
            except DatasetError:
                continue
            if isinstance(row, dict) and str(row.get("_id")) in gone:
                text = f"{row.get('title') or ''}\n{row.get('text') or ''}".strip()
                yield str(row["_id"]), ("git", text)


def _text(top: Path, path: str, commit: str) -> str:
    text = file_at(top, commit, path) if commit else ""
    if not text:
        last = last_commit_with(top, path)
        text = file_at(top, last, path) if last else ""
    return text
