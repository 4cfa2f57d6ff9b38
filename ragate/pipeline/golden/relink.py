"""Where expected documents went that the corpus no longer holds: proposals by content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragate.config import Config
from ragate.core.text.quoted_passages import normalise, passage_hash, passages
from ragate.core.text.words import tokens
from ragate.dataset import Entry, open_golden
from ragate.errors import UsageError
from ragate.models import Evidence
from ragate.pipeline.golden.past import Memory, old_texts
from ragate.pipeline.run.corpus_texts import Texts
from ragate.support.settings import nearest

SHINGLE = 4  # words
LEAST, MOST = 0.3, 5  # similarity of a proposal, and proposals for one document
Source = Literal["evidence", "git", "baseline", "name"]


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
    entries: Sequence[Entry], texts: Texts, config: Config | None, memory: Memory
) -> list[Lost]:
    """Return every expected document that is gone, with proposals, best first."""
    gone = sorted({doc for entry in entries for doc in entry.sample.relevant} - texts.keys())
    if not gone:
        return []
    index = _Index(texts)
    past = old_texts(gone, config, memory)
    by_content = {doc_id: index.like(*past[doc_id]) for doc_id in gone if doc_id in past}
    found = []
    for entry in entries:
        for doc_id in entry.sample.relevant:
            if doc_id in texts:
                continue
            evidence = entry.sample.evidence.get(doc_id)
            candidates = index.holding(evidence) if evidence else []
            candidates = candidates or by_content.get(doc_id) or _by_name(doc_id, texts)
            found.append(
                Lost(entry.sample.id, entry.sample.query, doc_id, tuple(candidates[:MOST]))
            )
    return found


class _Index:
    """The corpus by its word sequences and passages."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._sets = {doc_id: shingles(text) for doc_id, text in texts.items()}
        self._docs: dict[int, list[str]] = defaultdict(list)
        for doc_id, found in self._sets.items():
            for shingle in found:
                self._docs[shingle].append(doc_id)

    def holding(self, evidence: Evidence) -> list[Candidate]:
        """Return the documents that hold the evidence."""
        found = []
        wanted = normalise(evidence.quote)
        for doc_id, text in self._texts.items():
            if wanted:
                passage = evidence.quote if wanted in normalise(text) else ""
            else:
                alike = (one for one in passages(text) if passage_hash(one) == evidence.hash)
                passage = next(alike, "")
            if passage:
                found.append(Candidate(doc_id, 1.0, "evidence", passage))
        return found

    def like(self, source: Source, text: str) -> list[Candidate]:
        """Return the documents that share word sequences with an old text."""
        own = shingles(text)
        counts: dict[str, int] = defaultdict(int)
        for shingle in own:
            for doc_id in self._docs.get(shingle, ()):
                counts[doc_id] += 1
        found = [
            Candidate(doc_id, round(similarity, 3), source, self._texts[doc_id])
            for doc_id, shared in counts.items()
            if (similarity := overlap(shared, len(own), len(self._sets[doc_id]))) >= LEAST
        ]
        return sorted(found, key=lambda one: (-one.similarity, one.doc_id))


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
    moved = [other for other in texts if other.rpartition("/")[2] == tail]
    close = moved or get_close_matches(doc_id, list(texts)[:5000], n=MOST, cutoff=0.7)
    found = [
        Candidate(name, round(SequenceMatcher(None, doc_id, name).ratio(), 3), "name", texts[name])
        for name in close
    ]
    return sorted(found, key=lambda one: (-one.similarity, one.doc_id))


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
    names = {name for one in lost for name in (one.sample_id, one.doc_id)}
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
        for one in lost:
            if name in (one.sample_id, one.doc_id):
                chosen[one.sample_id, one.doc_id] = doc_id or _best(one)
    return chosen


def _best(lost: Lost) -> str:
    proved = [one for one in lost.candidates if one.source != "name"]
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
    for one in lost:
        proved = [c for c in one.candidates if c.source != "name" and c.similarity >= least - 1e-9]
        tied = len(proved) > 1 and proved[0].similarity == proved[1].similarity
        if proved and not tied:
            chosen[one.sample_id, one.doc_id] = proved[0].doc_id
    return chosen


def relink(path: Path, entries: Sequence[Entry], chosen: Mapping[tuple[str, str], str]) -> int:
    """Put new document ids in the place of old ones; return how many labels changed.

    The grade goes along; where the new document has one already, the higher one stays. So does the
    evidence.
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
        ones = all(grade == 1 for grade in relevant.values())
        golden.update(entry, "relevant", list(relevant) if ones else relevant)
        if names.keys() & sample.evidence.keys():
            evidence = {
                names.get(doc_id, doc_id): one.model_dump(exclude_defaults=True)
                for doc_id, one in sample.evidence.items()
            }
            golden.update(entry, "evidence", evidence)
    golden.save()
    return len(chosen)
