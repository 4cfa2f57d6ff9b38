"""Expected documents that the corpus no longer holds, and what they may have become."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ragate.baseline import load_baseline, load_contexts
from ragate.config import Config
from ragate.core.text.quoted_passages import normalise, passage_hash, passages
from ragate.core.text.words import tokens
from ragate.dataset import Entry
from ragate.errors import DatasetError, RagateError
from ragate.models import Evidence
from ragate.pipeline.run.corpus_texts import Texts
from ragate.support.git import file_at, head_commit, last_commit_with, repository
from ragate.support.strict_json import loads
from ragate.systems.pgvector.corpus.files import SUFFIXES, readable

SHINGLE = 4  # words
LEAST, MOST = 0.3, 5  # similarity of a proposal, and proposals for one document
Source = Literal["evidence", "git", "baseline", "name"]
Past = dict[str, tuple[Literal["git", "baseline"], str]]


# What documents said that are gone: from git, or from what the baseline retrieved of them.


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


@dataclass(frozen=True)
class Candidate:
    """A document that may be what another one became.

    Attributes:
        similarity: Share of the smaller text's word sequences that the other holds too; 1 where it
            holds the evidence. By name: how alike the names are.
        text: The passage that agrees, or the beginning.
    """

    doc_id: str
    similarity: float
    source: Source
    text: str


@dataclass(frozen=True)
class Lost:
    """An expected document of one sample that the corpus does not hold."""

    sample_id: str
    query: str
    doc_id: str
    candidates: tuple[Candidate, ...]


def find_lost(
    entries: Sequence[Entry],
    texts: Texts,
    config: Config | None,
    memory: Memory,
    *,
    corpus: Path | None = None,
) -> list[Lost]:
    """Return every expected document that is gone, with proposals, best first.

    Args:
        corpus: The folder of the documents, where the configuration does not name it: git knows
            what was in it.
    """
    gone = sorted({doc for entry in entries for doc in entry.sample.relevant} - texts.keys())
    if not gone:
        return []
    index = _Index(texts)
    past = old_texts(gone, config, memory, corpus)
    by_content = {doc_id: index.like(*past[doc_id]) for doc_id in gone if doc_id in past}
    lost = []
    for entry in entries:
        for doc_id in entry.sample.relevant:
            if doc_id in texts:
                continue
            evidence = entry.sample.evidence.get(doc_id)
            candidates = index.holding(evidence) if evidence else []
            candidates = candidates or by_content.get(doc_id) or _by_name(doc_id, texts)
            best = tuple(candidates[:MOST])
            lost.append(Lost(entry.sample.id, entry.sample.query, doc_id, best))
    return lost


class _Index:
    """The corpus by its word sequences and passages."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._sets = {doc_id: shingles(text) for doc_id, text in texts.items()}
        self._docs: dict[int, list[str]] = defaultdict(list)
        for doc_id, sequences in self._sets.items():
            for shingle in sequences:
                self._docs[shingle].append(doc_id)

    def holding(self, evidence: Evidence) -> list[Candidate]:
        """Return the documents that hold the evidence."""
        candidates = []
        quote = normalise(evidence.quote)
        for doc_id, text in self._texts.items():
            if quote:
                passage = evidence.quote if quote in normalise(text) else ""
            else:
                alike = (part for part in passages(text) if passage_hash(part) == evidence.hash)
                passage = next(alike, "")
            if passage:
                candidates.append(Candidate(doc_id, 1.0, "evidence", passage))
        return candidates

    def like(self, source: Source, text: str) -> list[Candidate]:
        """Return the documents that share word sequences with an old text."""
        old = shingles(text)
        counts: dict[str, int] = defaultdict(int)
        for shingle in old:
            for doc_id in self._docs.get(shingle, ()):
                counts[doc_id] += 1
        return _best_first(
            Candidate(doc_id, round(similarity, 3), source, self._texts[doc_id])
            for doc_id, shared in counts.items()
            if (similarity := overlap(shared, len(old), len(self._sets[doc_id]))) >= LEAST
        )


def _best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: (-candidate.similarity, candidate.doc_id))


def overlap(shared: int, old: int, new: int) -> float:
    """Return shared sequences over those of the smaller text; 0 where it is a small part.

    A page that was cut up is whole in none of its parts, and each part is whole in it. A part of
    less than a twentieth may be boilerplate that every page has.
    """
    if not shared or shared < 0.05 * old:
        return 0.0
    return shared / min(old, new)


def shingles(text: str) -> frozenset[int]:
    """Return the sequences of `SHINGLE` words of a text, hashed; a short text is one sequence."""
    words = tokens(text)
    if not words:
        return frozenset()
    last = max(len(words) - SHINGLE + 1, 1)
    return frozenset(hash(tuple(words[n : n + SHINGLE])) for n in range(last))


def _by_name(doc_id: str, texts: Texts) -> list[Candidate]:
    from difflib import SequenceMatcher, get_close_matches

    tail = doc_id.rpartition("/")[2]
    moved = [name for name in texts if name.rpartition("/")[2] == tail]
    close = moved or get_close_matches(doc_id, list(texts)[:5000], n=MOST, cutoff=0.7)
    return _best_first(
        Candidate(name, round(SequenceMatcher(None, doc_id, name).ratio(), 3), "name", texts[name])
        for name in close
    )
