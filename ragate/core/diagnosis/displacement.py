"""Expected documents that lost their rank, what took their place, and the words for it."""

from collections.abc import Sequence

from ragate.core.diagnosis.context_texts import edited_documents
from ragate.core.diagnosis.sample_diff import SampleDiff, named, newcomers
from ragate.core.diagnosis.system_changes import Stage
from ragate.models import Cause, CauseKind, RankChange


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
    return CauseKind.DATA if stages.isdisjoint({Stage.CONTEXTS, Stage.OTHER}) else CauseKind.UNKNOWN


def _displacer_words(diff: SampleDiff, lost: Sequence[str], newer: Sequence[str]) -> str:
    if newer:
        hurt = lost or any(map(fell, diff.ranks))
        return ("in its place " if hurt else "newly retrieved: ") + named(newer)
    old, new = (
        max(len(record.output.chunks) for record in records)
        for records in (diff.before, diff.after)
    )
    return f"{new} chunks came back, {old} before" if new < old else ""


def displacers(diff: SampleDiff) -> list[str]:
    """Return what stands now where lost or fallen expected documents stood, or ahead of them."""
    doc_ids: dict[str, None] = {}
    hurt = [rank for rank in diff.ranks if rank.before and (rank.after is None or fell(rank))]
    for rank in hurt:
        was, now = rank.before, rank.before
        if rank.before and rank.after:
            was, now = rank.before - 1, rank.after - 1
        doc_ids |= dict.fromkeys(newcomers(*diff.rankings, was=was, now=now))
    if not hurt:
        doc_ids = dict.fromkeys(newcomers(*diff.rankings, was=None, now=None))
    return [doc_id for doc_id in doc_ids if doc_id not in diff.sample.expected]


def rank_words(ranks: Sequence[RankChange]) -> str:
    """Return the expected documents' ranks in words, those that changed first."""
    changed = [rank for rank in ranks if rank.before != rank.after]
    shown = [_one_rank(rank) for rank in changed or ranks if rank.before or rank.after]
    return "expected " + named(shown) if shown else ""


def _one_rank(change: RankChange) -> str:
    if change.before == change.after:
        return f"{change.doc_id} still at rank {change.before}"
    before = f"rank {change.before}" if change.before else "not retrieved"
    after = "not retrieved"
    if change.after:
        after = str(change.after) if change.before else f"rank {change.after}"
    return f"{change.doc_id} {before} -> {after}"
