"""Expected documents that are gone: what they said, what says it now, and new ids for them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ragate.answers.corpus_texts import Texts
from ragate.baseline import load_baseline, load_contexts
from ragate.config import Config
from ragate.contrib.golden.coverage import BEIR, beir_documents, corpus_folder
from ragate.contrib.golden.golden_file import open_golden
from ragate.contrib.golden.suggest import as_labels
from ragate.core.doc_ids import (
    IdMismatch,
    Spelling,
    find_mismatch,
    is_of_a_machine,
    run_mismatch,
)
from ragate.core.text.words import tokens
from ragate.dataset import Entry
from ragate.errors import RagateError, StorageError, UsageError
from ragate.models import Run
from ragate.repository.git import file_at, head_commit, last_commit_with, repository
from ragate.settings import nearest
from ragate.stores.local import LocalStore
from ragate.systems.pgvector.corpus import SUFFIXES, readable

SHINGLE = 4  # words
LEAST, MOST = 0.3, 5  # similarity of a proposal, and proposals for one document
Source = Literal["git", "baseline", "name"]
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
    folder = corpus_folder(config, corpus)
    return retrieved | (_committed(gone, folder, memory.commit) if folder is not None else {})


def _committed(gone: Sequence[str], folder: Path, commit: str) -> Past:
    top = repository(folder)
    if top is None:
        return {}
    rows = (folder.relative_to(top) / BEIR).as_posix()
    lost = frozenset(gone)
    committed: Past = {
        doc_id: ("git", text)
        for at in (head_commit(top), commit)  # what the baseline's says wins
        for doc_id, text in beir_documents(file_at(top, at, rows))
        if doc_id in lost
    }
    for doc_id in lost - committed.keys():
        path = (folder.relative_to(top) / doc_id).as_posix()
        text = readable(_text(top, path, commit), SUFFIXES.get(Path(path).suffix.lower(), ""))
        if text:
            committed[doc_id] = ("git", text)
    return committed


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
        similarity: Share of the smaller text's word sequences that the other holds too. By name:
            how alike the names are.
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
    corpus: Path | None,
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
            candidates = by_content.get(doc_id) or _by_name(doc_id, texts)
            best = tuple(candidates[:MOST])
            lost.append(Lost(entry.sample.id, entry.sample.query, doc_id, best))
    return lost


class _Index:
    """The corpus by its word sequences."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._sets = {doc_id: shingles(text) for doc_id, text in texts.items()}
        self._docs: dict[int, list[str]] = defaultdict(list)
        for doc_id, sequences in self._sets.items():
            for shingle in sequences:
                self._docs[shingle].append(doc_id)

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


def choose(
    lost: Sequence[Lost], accepted: Sequence[str], texts: Texts
) -> dict[tuple[str, str], str]:
    """Return the new document by (sample, old document) for ``ID`` or ``ID=DOC``.

    ID is a sample or an old document: all labels of it are meant. Without DOC its best proposal is
    taken, and one by name alone is none.

    Raises:
        UsageError: nothing of ID is lost, the corpus has no DOC, or there is no proposal.
    """
    chosen: dict[tuple[str, str], str] = {}
    names = {name for row in lost for name in (row.sample_id, row.doc_id)}
    for text in accepted:
        cuts = [n for n, char in enumerate(text) if char == "="]
        pairs = [(text, "")] if text in names else []
        pairs += [(text[:n], text[n + 1 :]) for n in cuts if text[:n] in names]
        if len(pairs) != 1:
            name = text.partition("=")[0]
            raise UsageError(
                f"--accept {text!r}: no lost document and no sample with one{nearest(name, names)}"
            )
        name, doc_id = pairs[0]
        if doc_id and doc_id not in texts:
            raise UsageError(f"--accept {text!r}: the corpus holds no document {doc_id!r}")
        for row in lost:
            if name in (row.sample_id, row.doc_id):
                chosen[row.sample_id, row.doc_id] = doc_id or _best(row)
    return chosen


def _best(lost: Lost) -> str:
    proved = [c for c in lost.candidates if c.source != "name"]
    if not proved:
        raise UsageError(
            f"{lost.sample_id}: there is no proposal by content for {lost.doc_id!r}",
            remedy=f"name the document: --accept {lost.doc_id}=DOC",
        )
    return proved[0].doc_id


def choose_all(lost: Sequence[Lost], least: float) -> dict[tuple[str, str], str]:
    """Return the best proposals by content whose similarity is at least `least`.

    One that two documents reach equally is left to a person.
    """
    chosen = {}
    for row in lost:
        proved = [c for c in row.candidates if c.source != "name" and c.similarity >= least - 1e-9]
        tied = len(proved) > 1 and proved[0].similarity == proved[1].similarity
        if proved and not tied:
            chosen[row.sample_id, row.doc_id] = proved[0].doc_id
    return chosen


def relink(path: Path, entries: Sequence[Entry], chosen: Mapping[tuple[str, str], str]) -> int:
    """Put new document ids in the place of old ones; return how many labels changed.

    The grade goes along; where the new document has one already, the higher one stays.
    """
    golden = open_golden(path)
    by_id = {entry.sample.id: entry for entry in entries}
    for sample_id in dict.fromkeys(sample for sample, _ in chosen):
        entry = by_id[sample_id]
        sample = entry.sample
        names = {old: new for (owner, old), new in chosen.items() if owner == sample_id}
        relevant: dict[str, int] = {}
        for doc_id, grade in sample.relevant.items():
            name = names.get(doc_id, doc_id)
            relevant[name] = max(grade, relevant.get(name, grade))
        golden.update(entry, "relevant", as_labels(relevant))
    golden.save()
    return len(chosen)


# Expected ids in the spelling of the system: for labels that are right and written otherwise.


def newest_run(baseline: Run | None, store: LocalStore, gate: str = "") -> Run | None:
    """Return the newest whole run that is stored here, or the baseline where that is newer.

    Where there is neither: the newest of the gate that other machines made.
    """
    try:
        folder = store.find("latest") if store.list() else None
        if folder is None and baseline is None:
            folder = store.newest_elsewhere(gate)
        if folder is None:
            return baseline
        run = store.load(folder)
    except (UsageError, StorageError):
        return baseline
    older = baseline is not None and run.manifest.created < baseline.manifest.created
    return baseline if older or run.manifest.filters.partial else run


def mismatch_of(
    entries: Sequence[Entry],
    documents: Collection[str] | None,
    config: Config | None,
    store: LocalStore,
) -> IdMismatch | None:
    """Return how the labels' ids differ from the documents, or else from what a run retrieved.

    Args:
        documents: The ids of all documents, None where the system does not tell them.

    Raises:
        UsageError: neither is known.
        DatabaseError: the run store would have to be asked, and cannot be read.
    """
    samples = [entry.sample for entry in entries]
    if documents is not None:
        labelled = frozenset(doc_id for sample in samples for doc_id in sample.expected)
        return find_mismatch([(labelled, documents)])
    run = newest_run(_baseline(config), store, "" if config is None else config.gate)
    if run is None:
        raise UsageError(
            "it is not known how the system names its documents: nothing was retrieved yet",
            remedy="`ragate baseline update` asks it, or name the folder of the documents with "
            "--corpus",
        )
    return run_mismatch(samples, run.records)


def respellings(
    entries: Sequence[Entry], mismatch: IdMismatch | None
) -> Mapping[tuple[str, str], str]:
    """Return the new id by sample and old id.

    Ids of chunks are left alone: which of them a document comes back as is luck. So are
    paths of one machine: on another nothing would fit.
    """
    if mismatch is None or Spelling.CHUNK in mismatch.differs:
        return {}
    return {
        (entry.sample.id, doc_id): mismatch.respelt[doc_id]
        for entry in entries
        for doc_id in entry.sample.relevant
        if doc_id in mismatch.respelt and not is_of_a_machine(mismatch.respelt[doc_id])
    }


def _baseline(config: Config | None) -> Run | None:
    try:
        return None if config is None else load_baseline(config.baseline)
    except RagateError:
        return None
