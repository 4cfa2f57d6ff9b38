"""Contexts against answer: which of the two made one sample's flip."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from ragate.core.diagnosis import context_texts
from ragate.core.diagnosis.answer_evidence import (
    by_words,
    follows_new_chunks,
    gave_up_by_run,
    score_words,
    trace_run,
    worst_run,
)
from ragate.core.diagnosis.displacement import contexts, fell, rank_words
from ragate.core.diagnosis.output_evidence import Origin, supports
from ragate.core.diagnosis.same_contexts import another_verdict, same_contexts
from ragate.core.diagnosis.sample_diff import SampleDiff, named, unknown, values
from ragate.core.diagnosis.system_changes import Stage
from ragate.models import Cause, CauseKind, RankChange, Reads, Record

_FAR = 3  # ranks; a smaller fall seldom takes a passage out of an answerer's sight
# Judged against the reference alone: contexts are no part of the question.
_REFERENCE_ONLY = frozenset({"correctness", "correctness_binary"})


class Answers(Enum):
    """What can be said of the answers of the two sides."""

    SAME = auto()
    DIFFERENT = auto()
    UNKNOWN = auto()


def attribute(case: SampleDiff) -> Cause:
    """Return retrieval, generation, data or unknown for outputs that differ."""
    old = {record.retrieval_hash for record in case.before}
    if {record.retrieval_hash for record in case.after} <= old:
        return same_contexts(case)
    answers = compare_answers(case.before, case.after)
    if answers is not Answers.DIFFERENT and _reference_only(case):
        return another_verdict(case) if answers is Answers.SAME else _cannot_tell(case)
    if _only_upstream_changed(case):
        return contexts(case, "the answer is the same" if answers is Answers.SAME else "")
    found = _by_texts(case, answers)
    if found.kind is CauseKind.GENERATION and case.changes.spares(Stage.ANSWER):
        return unknown(f"nothing that writes the answer changed, yet {found.evidence}")
    return found


def compare_answers(before: Sequence[Record], after: Sequence[Record]) -> Answers:
    """Say whether every answer of the candidate is one that the baseline gave.

    A retrieval-only run has none, which is no difference; a baseline may hold hashes only.
    """
    if all(record.output.answer is None for record in after):
        return Answers.SAME
    if all(record.output.answer is None for record in before):
        return Answers.UNKNOWN
    old = {(record.output.answer, record.output.citations) for record in before}
    new = {(record.output.answer, record.output.citations) for record in after}
    return Answers.SAME if new <= old else Answers.DIFFERENT


def _only_upstream_changed(case: SampleDiff) -> bool:
    """True where nothing can have made the movement but documents, or but retrieval settings.

    Where retrieval or the answers vary by themselves, the texts have to tell.
    """
    if not (case.changes.only(Stage.CORPUS) or case.changes.only(Stage.CONTEXTS)):
        return False
    steady = len({record.retrieval_hash for record in case.before}) == 1
    return (steady or Reads.RETRIEVAL in case.changes.repeats) and _beyond_noise(case)


def _beyond_noise(case: SampleDiff) -> bool:
    """True where every run of the candidate scored beyond all runs of the baseline.

    That is asked of what moved most, and of what reads retrieval alone: answers may vary there.
    """
    telling = case.moved[:1] + [one for one in case.moved if one.reads is Reads.RETRIEVAL]
    return not telling or any(_apart(case, one.metric) for one in telling)


def _apart(case: SampleDiff, metric: str) -> bool:
    old, new = values(case.before, metric), values(case.after, metric)
    return bool(old and new) and (max(new) < min(old) or min(new) > max(old))


def _reference_only(case: SampleDiff) -> bool:
    """True where all that moved are verdicts that read the answer and no context."""
    names = {one.metric.partition("@")[0] for one in case.moved}
    return bool(names) and names <= _REFERENCE_ONLY and all(one.judged for one in case.moved)


def _by_texts(case: SampleDiff, answers: Answers) -> Cause:
    """Decide by ranks, by the chunks' texts and by the words of the answers."""
    if moved := context_texts.renamed(case):
        return _renamed(moved)
    if _same_ranking(case):
        return _other_texts(case)
    if answers is Answers.SAME:
        return contexts(case, "the answer is the same")
    if not case.moved:
        return unknown("contexts and answer both differ, and no score moved")
    if all(one.reads is Reads.RETRIEVAL for one in case.moved):
        return contexts(case)
    return _worse(case, answers) if case.worse else _better(case)


def _renamed(moved: dict[str, str]) -> Cause:
    pairs = [f"{old} as {new}" for old, new in moved.items()]
    return Cause(
        kind=CauseKind.DATA,
        evidence=f"the same text came back under another id: {named(pairs)}",
        lost=tuple(moved),
        displaced_by=tuple(moved.values()),
    )


def _same_ranking(case: SampleDiff) -> bool:
    """True where the same chunks' documents came in the same order, with other texts."""
    old = {_order(record) for record in case.before}
    return bool(case.after[0].output.chunks) and all(_order(one) in old for one in case.after)


def _order(record: Record) -> tuple[str, ...]:
    return tuple(chunk.doc_id for chunk in record.output.chunks)


def _other_texts(case: SampleDiff) -> Cause:
    same = "the same documents came back in the same order, with other texts"
    if case.changes.only(Stage.CORPUS) or case.changes.only(Stage.CONTEXTS):
        return contexts(case, same)
    return unknown(f"{same}: the documents were edited, or are cut otherwise")


def _better(case: SampleDiff) -> Cause:
    gained = [one for one in case.ranks if one.before is None and one.after is not None]
    if gained:
        return contexts(case)
    stood = [one for one in case.ranks if one.before is not None]
    if stood and all(one.before == one.after for one in stood):
        return _generation(case, stood)
    return _cannot_tell(case)


def _worse(case: SampleDiff, answers: Answers) -> Cause:
    had = [one for one in case.ranks if one.before is not None]
    if any(one.after is None for one in had):
        return _after_a_loss(case, had)
    if answers is Answers.UNKNOWN or not any(_texts(one) for one in case.after):
        return _cannot_tell(case)
    return by_words(case, had) or _by_ranks(case, had)


def _by_ranks(case: SampleDiff, had: Sequence[RankChange]) -> Cause:
    """Decide by the expected documents alone, where the answer's words do not tell."""
    if any(fell(one) for one in had):
        far = any(fell(one, by=_FAR) for one in had)
        if far and all(gave_up_by_run(case)):
            return contexts(case, "the answer gave up")
        return _cannot_tell(case)
    return _generation(case, had) if had else _cannot_tell(case)


def _after_a_loss(case: SampleDiff, had: Sequence[RankChange]) -> Cause:
    """An expected document is gone: that explains a fall unless its content is still there."""
    chunks = worst_run(case).output.chunks
    if supports(chunks, case.sample.references):
        return unknown(f"{rank_words(had)}, yet another chunk holds the reference answer")
    if (
        all(one.after is None for one in had)
        or trace_run(case, worst_run(case)).origin is not Origin.NOWHERE
    ):
        return contexts(case)
    return unknown(f"{rank_words(had)}, and the answer says what no chunk holds: both may be it")


def _texts(record: Record) -> bool:
    return any(chunk.text for chunk in record.output.chunks)


def _generation(case: SampleDiff, held: Sequence[RankChange]) -> Cause:
    """Blame generation where its passages are there still, and no new one says what it says."""
    if not context_texts.kept(case) or follows_new_chunks(case):
        return _cannot_tell(case)
    evidence = (
        f"{rank_words(held)}; the contexts changed elsewhere, and the answer{score_words(case)}"
    )
    return Cause(kind=CauseKind.GENERATION, evidence=evidence)


def _cannot_tell(case: SampleDiff) -> Cause:
    parts = ["contexts and answer both changed", rank_words(case.ranks)]
    parts.append("" if context_texts.known(case) else context_texts.UNKNOWN)
    return unknown("; ".join(part for part in parts if part))
