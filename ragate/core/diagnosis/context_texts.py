"""The texts of one sample's contexts, by their hashes: what stayed, and what took a place."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ragate.core.diagnosis.sample_diff import SampleDiff, named, newcomers
from ragate.core.diagnosis.system_changes import Stage
from ragate.core.hashing import TEXT_DIGITS, text_hashes
from ragate.core.text.wording import count
from ragate.models import Cause, CauseKind, RankChange, Record, RetrievedChunk

DOCUMENTS_UNKNOWN = "what it rests on is not known: no document was returned on either side"
TEXTS_UNKNOWN = "the contexts' texts are not known"


class ChunkText(NamedTuple):
    """The document of a chunk, and the hash of what it says."""

    doc_id: str
    text_hash: str


def texts_of(record: Record) -> tuple[ChunkText, ...] | None:
    """Return the text of each chunk, by rank; None where the texts were not recorded."""
    chunks = record.output.chunks
    digits = record.text_hashes or text_hashes(record.output)
    if len(digits) != TEXT_DIGITS * len(chunks):
        return None
    starts = range(0, len(digits), TEXT_DIGITS)
    return tuple(
        ChunkText(chunk.doc_id, digits[start : start + TEXT_DIGITS])
        for chunk, start in zip(chunks, starts, strict=True)
    )


def texts_known(diff: SampleDiff) -> bool:
    """Return True where the texts of every run of both sides are known."""
    return all(texts_of(record) is not None for record in diff.records)


def ids_and_texts_equal(diff: SampleDiff) -> bool:
    """Return True where equal hashes of the retrieval are equal texts, not equal ids alone."""
    chunks = diff.after[0].output.chunks
    return not chunks or any(texts_of(record) is not None for record in diff.records)


def _basis(diff: SampleDiff) -> frozenset[str]:
    """Return the documents that the answer rests on: the expected and the cited ones."""
    cited: set[str] = set()
    for record in diff.before:
        chunks = record.output.chunks
        for number in record.output.citations or ():
            if 1 <= number <= len(chunks):
                cited.add(chunks[number - 1].doc_id)
    return diff.sample.expected | cited


def basis_kept(diff: SampleDiff) -> bool:
    """Return True where each candidate run has every passage that an earlier run rested on.

    An answer rests on the expected and on the cited documents. False where the texts are not
    known, or where nothing of those documents was there.
    """
    basis = _basis(diff)
    before, after = _passages_of(basis, diff.before), _passages_of(basis, diff.after)
    if before is None or after is None:
        return False
    return all(any(old and old <= new for old in before) for new in after)


def _passages_of(
    doc_ids: Collection[str], records: Sequence[Record]
) -> list[set[ChunkText]] | None:
    """Return the passages of these documents in each run; None where texts are not known."""
    runs = []
    for record in records:
        passages = texts_of(record)
        if passages is None:
            return None
        runs.append({passage for passage in passages if passage.doc_id in doc_ids})
    return runs


def new_chunks(diff: SampleDiff, record: Record) -> list[RetrievedChunk]:
    """Return the chunks of a candidate's run whose text no run of the baseline had."""
    before = {passage for old in diff.before for passage in texts_of(old) or ()}
    chunks = record.output.chunks
    passages = texts_of(record)
    if passages is None:  # of unknown text, each is new
        return list(chunks)
    pairs = zip(chunks, passages, strict=True)
    return [chunk for chunk, passage in pairs if passage not in before]


def edited_documents(diff: SampleDiff) -> tuple[str, ...]:
    """Return the documents that came back on both sides without any text in common."""
    before, after = _by_document(diff.before), _by_document(diff.after)
    return tuple(
        doc_id
        for doc_id, texts in after.items()
        if doc_id in before and texts.isdisjoint(before[doc_id])
    )


def renamed_documents(diff: SampleDiff) -> dict[str, str]:
    """Return expected documents that are gone while another, new one holds their very texts."""
    before, after = _by_document(diff.before), _by_document(diff.after)
    gone = diff.sample.expected & (before.keys() - after.keys())
    return {
        doc_id: new_id
        for doc_id in sorted(gone)
        for new_id, texts in after.items()
        if new_id not in before and before[doc_id] <= texts
    }


def same_ranking(diff: SampleDiff) -> bool:
    """Return True where each run's chunks came in an order of documents that a run had before."""
    old, new = _chunk_documents(diff.before), _chunk_documents(diff.after)
    return bool(new[0]) and all(doc_ids in old for doc_ids in new)


def _chunk_documents(records: Sequence[Record]) -> list[list[str]]:
    """Return the document of each chunk of each run, by rank."""
    return [[chunk.doc_id for chunk in record.output.chunks] for record in records]


def _by_document(records: Sequence[Record]) -> dict[str, set[str]]:
    """Return the hashes of each document's texts; those of unknown texts are left out."""
    hashes: dict[str, set[str]] = {}
    for record in records:
        for doc_id, text_hash in texts_of(record) or ():
            hashes.setdefault(doc_id, set()).add(text_hash)
    return hashes


def fell(change: RankChange, *, by: int = 1) -> bool:
    """True where the document is still retrieved, `by` ranks lower or more."""
    if change.before is None or change.after is None:
        return False
    return change.after - change.before >= by


def lost_documents(diff: SampleDiff) -> list[str]:
    """Return the expected documents that were retrieved, and are not any more."""
    return [rank.doc_id for rank in diff.ranks if rank.before is not None and rank.after is None]


def blame_contexts(diff: SampleDiff, note: str = "") -> Cause:
    """Blame what gave other contexts, with the ranks before and after and what took the place.

    That is the data where only documents changed, and retrieval where they are the same, or where
    it is not known; nothing is blamed where both changed at once.
    """
    lost, newer = lost_documents(diff), displacers(diff)
    edited = () if diff.changes.spares(Stage.CORPUS) else edited_documents(diff)
    edited_words = f"with other text: {named(edited)}" if edited else ""
    words = (rank_words(diff.ranks), _displacer_words(diff, lost, newer), edited_words, note)
    evidence = "; ".join(filter(None, words)) or "other chunks came back"
    kind = _kind(diff)
    if kind is CauseKind.UNKNOWN:
        evidence = f"documents and settings changed at once; {evidence}"
    return Cause(
        kind=kind, evidence=evidence, lost=tuple(lost), displaced_by=tuple(newer), edited=edited
    )


def _kind(diff: SampleDiff) -> CauseKind:
    stages = diff.changes.stages
    if Stage.CORPUS not in stages:
        return CauseKind.RETRIEVAL
    only_documents = stages.isdisjoint({Stage.CONTEXTS, Stage.OTHER})
    return CauseKind.DATA if only_documents else CauseKind.UNKNOWN


def _displacer_words(diff: SampleDiff, lost: Sequence[str], newer: Sequence[str]) -> str:
    if not newer:
        return fewer_words(diff)
    took_a_place = lost or any(map(fell, diff.ranks))
    return ("in its place " if took_a_place else "newly retrieved: ") + named(newer)


def fewer_words(diff: SampleDiff) -> str:
    """Return how many chunks came where they are fewer than before, else ""."""
    old = max(len(record.output.chunks) for record in diff.before)
    new = max(len(record.output.chunks) for record in diff.after)
    return f"{count(new, 'chunk')} came back, {old} before" if new < old else ""


def displacers(diff: SampleDiff) -> list[str]:
    """Return what stands now where lost or fallen expected documents stood, or ahead of them."""
    depths = [depth for rank in diff.ranks if (depth := _depth_of_place(rank)) is not None]
    everything = _Depth(None, None)
    doc_ids = dict.fromkeys(
        doc_id
        for depth in depths or [everything]
        for doc_id in newcomers(*diff.rankings, was=depth.before, now=depth.after)
    )
    return [doc_id for doc_id in doc_ids if doc_id not in diff.sample.expected]


class _Depth(NamedTuple):
    """How many documents of a ranking are looked at on each side, None for all."""

    before: int | None
    after: int | None


def _depth_of_place(rank: RankChange) -> _Depth | None:
    """Return how deep to look for what took a lost or fallen document's place, else None."""
    if rank.before is None:
        return None
    if rank.after is None:
        return _Depth(rank.before, rank.before)
    if fell(rank):
        return _Depth(rank.before - 1, rank.after - 1)  # the document itself comes next
    return None


def rank_words(ranks: Sequence[RankChange]) -> str:
    """Return the expected documents' ranks in words, those that changed first."""
    retrieved = [rank for rank in ranks if rank.before or rank.after]
    changed = [rank for rank in retrieved if rank.before != rank.after]
    shown = [_rank_change(rank) for rank in changed or retrieved]
    return "expected " + named(shown) if shown else ""


def _rank_change(change: RankChange) -> str:
    if change.before == change.after:
        return f"{change.doc_id} still at rank {change.before}"
    before = f"rank {change.before}" if change.before else "not retrieved"
    after = "not retrieved"
    if change.after:
        after = str(change.after) if change.before else f"rank {change.after}"
    return f"{change.doc_id} {before} -> {after}"
