"""Expected documents that lost their rank, what took their place, and the words for it."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.core.diagnosis.context_texts import edited
from ragate.core.diagnosis.output_evidence import newcomers
from ragate.core.diagnosis.sample_diff import SampleDiff, named
from ragate.core.diagnosis.system_changes import Stage
from ragate.models import Cause, CauseKind, RankChange


def fell(change: RankChange, *, by: int = 1) -> bool:
    """True where the document is still retrieved, `by` ranks lower or more."""
    if change.before is None or change.after is None:
        return False
    return change.after - change.before >= by


def contexts(case: SampleDiff, note: str = "") -> Cause:
    """Blame what gave other contexts, with the ranks before and after and what took the place.

    That is the data where only documents changed, and retrieval where they are the same, or where
    it is not known; nothing is blamed where both changed at once.
    """
    lost = tuple(one.doc_id for one in case.ranks if one.before is not None and one.after is None)
    places = tuple(displacers(case))
    others = () if case.changes.spares(Stage.CORPUS) else edited(case)
    parts = [rank_words(case.ranks), _place_words(case, lost, places), _edited_words(others), note]
    evidence = "; ".join(part for part in parts if part) or "other chunks came back"
    kind = _kind(case)
    if kind is CauseKind.UNKNOWN:
        evidence = f"documents and settings changed at once; {evidence}"
    return Cause(kind=kind, evidence=evidence, lost=lost, displaced_by=places, edited=others)


def _kind(case: SampleDiff) -> CauseKind:
    stages = case.changes.stages
    if Stage.CORPUS not in stages:
        return CauseKind.RETRIEVAL
    both = not stages.isdisjoint({Stage.CONTEXTS, Stage.OTHER})
    return CauseKind.UNKNOWN if both else CauseKind.DATA


def _edited_words(doc_ids: Sequence[str]) -> str:
    return f"with other text: {named(doc_ids)}" if doc_ids else ""


def _place_words(case: SampleDiff, lost: tuple[str, ...], places: tuple[str, ...]) -> str:
    if places:
        hurt = lost or any(fell(one) for one in case.ranks)
        return ("in its place " if hurt else "newly retrieved: ") + named(places)
    old = max(len(record.output.chunks) for record in case.before)
    new = max(len(record.output.chunks) for record in case.after)
    return f"{new} chunks came back, {old} before" if new < old else ""


def displacers(case: SampleDiff) -> list[str]:
    """Return what stands now where lost or fallen expected documents stood, or ahead of them."""
    found: dict[str, None] = {}
    hurt = [one for one in case.ranks if one.before and (one.after is None or fell(one))]
    for one in hurt:
        now = one.before if one.after is None else one.after - 1
        was = one.before if one.after is None else (one.before or 1) - 1
        found |= dict.fromkeys(newcomers(*case.rankings, was=was, now=now))
    if not hurt:
        found = dict.fromkeys(newcomers(*case.rankings, was=None, now=None))
    return [doc_id for doc_id in found if doc_id not in case.sample.expected]


def rank_words(ranks: Sequence[RankChange]) -> str:
    """Return the expected documents' ranks in words, those that changed first."""
    changed = [one for one in ranks if one.before != one.after]
    shown = [_one_rank(one) for one in changed or ranks if one.before or one.after]
    return "expected " + named(shown) if shown else ""


def _one_rank(change: RankChange) -> str:
    if change.before == change.after:
        return f"{change.doc_id} still at rank {change.before}"
    before = f"rank {change.before}" if change.before else "not retrieved"
    after = str(change.after) if change.after and change.before else (
        f"rank {change.after}" if change.after else "not retrieved"
    )  # fmt: skip
    return f"{change.doc_id} {before} -> {after}"
