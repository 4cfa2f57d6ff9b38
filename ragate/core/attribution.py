"""Retrieval against generation: which of the two made one sample's flip."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from ragate.core.answer_evidence import (
    by_words,
    gave_up_by_run,
    says_now,
    score_words,
    trace_run,
    worst_run,
)
from ragate.core.case import Case, named, unknown, values
from ragate.core.displacement import fell, rank_words, retrieval
from ragate.core.evidence import Origin, layout, supports
from ragate.models import Cause, CauseKind, RankChange, Reads, Record

_HALF = 0.5
_FAR = 3  # ranks; a smaller fall seldom takes a passage out of an answerer's sight
# Judged against the reference alone: contexts are no part of the question.
_REFERENCE_ONLY = frozenset({"correctness", "correctness_binary"})
_CORPUS_PARTS = ("corpus", "document")
_RETRIEVAL_PARTS = (
    *_CORPUS_PARTS, "chunk", "retriev", "embed", "index", "bm25", "top_k", "stem", "stop",
)  # fmt: skip


class Answers(Enum):
    """What can be said of the answers of the two sides."""

    SAME = auto()
    DIFFERENT = auto()
    UNKNOWN = auto()


def attribute(case: Case) -> Cause:
    """Return retrieval, generation, data or unknown for outputs that differ."""
    old = {record.retrieval_hash for record in case.before}
    if {record.retrieval_hash for record in case.after} <= old:
        return _same_contexts(case)
    answers = compare_answers(case.before, case.after)
    if answers is not Answers.DIFFERENT and _reference_only(case):
        return _another_verdict(case) if answers is Answers.SAME else _cannot_tell(case)
    if _same_ranking(case):
        return _other_texts(case)
    if answers is Answers.SAME:
        return retrieval(case, "the answer is the same")
    if not case.moved:
        return unknown("contexts and answer both differ, and no score moved")
    if all(one.reads is Reads.RETRIEVAL for one in case.moved):
        return retrieval(case)
    if not case.worse:
        return _better(case)
    return _worse(case, answers)


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


def _same_contexts(case: Case) -> Cause:
    seen = {record.retrieval_hash for record in case.after}
    twins = [record for record in case.before if record.retrieval_hash in seen]
    lead = case.lead
    if lead and len(twins) < len(case.before):
        old, new = values(twins, lead.metric), values(case.after, lead.metric)
        if old and new:
            left = sum(new) / len(new) - sum(old) / len(old)
            if left / (lead.after - lead.before) < _HALF:
                return unknown(
                    "the baseline retrieved these same contexts in some of its runs, and scored "
                    "as low there: run-to-run noise"
                )
    if case.moved and all(one.reads is Reads.RETRIEVAL for one in case.moved):
        return _another_verdict(case)
    chunks = len(case.after[0].output.chunks)
    said = says_now(case)
    evidence = f"same {chunks} chunks, another answer{score_words(case)}"
    evidence += f"; {said}" if said else ""
    answers = {record.output_hash for record in twins}
    if len(answers) > 1:
        evidence += f"; the baseline's own {len(twins)} runs gave {len(answers)} answers"
    return Cause(kind=CauseKind.GENERATION, evidence=evidence)


def _reference_only(case: Case) -> bool:
    """True where all that moved are verdicts that read the answer and no context."""
    names = {one.metric.partition("@")[0] for one in case.moved}
    return bool(names) and names <= _REFERENCE_ONLY and all(one.judged for one in case.moved)


def _another_verdict(case: Case) -> Cause:
    lead = case.moved[0]
    if not lead.judged:
        return unknown(f"{lead.metric} scored the same text otherwise: the metric changed")
    evidence = f"what {lead.metric} reads is the same, the verdict is another{score_words(case)}"
    return Cause(kind=CauseKind.JUDGE, evidence=evidence)


def _same_ranking(case: Case) -> bool:
    """True where the same chunks' documents came in the same order, with other texts."""
    old = {_order(record) for record in case.before}
    return bool(case.after[0].output.chunks) and all(_order(one) in old for one in case.after)


def _order(record: Record) -> tuple[str, ...]:
    return tuple(chunk.doc_id for chunk in record.output.chunks)


def _other_texts(case: Case) -> Cause:
    same = "the same documents came back in the same order, with other texts"
    shown = named(sorted(case.parts))
    if case.parts and all(_is_part(name, _CORPUS_PARTS) for name in case.parts):
        return Cause(
            kind=CauseKind.DATA, evidence=f"{same}: the documents were edited ({shown} changed)"
        )
    if _only_retrieval_changed(case):
        return Cause(
            kind=CauseKind.RETRIEVAL, evidence=f"{same}: they are cut otherwise ({shown} changed)"
        )
    return unknown(f"{same}: the documents were edited, or are cut otherwise")


def _only_retrieval_changed(case: Case) -> bool:
    return bool(case.parts) and all(_is_part(name, _RETRIEVAL_PARTS) for name in case.parts)


def _is_part(name: str, kinds: Sequence[str]) -> bool:
    return any(kind in name.lower() for kind in kinds)


def _better(case: Case) -> Cause:
    gained = [one for one in case.ranks if one.before is None and one.after is not None]
    if gained:
        return retrieval(case)
    kept = [one for one in case.ranks if one.before is not None]
    if kept and all(one.before == one.after for one in kept) and _expected_chunks_held(case):
        return _generation(case, kept)
    return _cannot_tell(case)


def _worse(case: Case, answers: Answers) -> Cause:
    lead = case.moved[0]
    scattered = len({round(one, 6) for one in values(case.before, lead.metric)}) > 1
    if _only_retrieval_changed(case) and not scattered:
        return retrieval(case, f"only {named(sorted(case.parts))} of the system changed")
    had = [one for one in case.ranks if one.before is not None]
    if any(one.after is None for one in had):
        return _after_a_loss(case, had)
    if answers is Answers.UNKNOWN or not any(_texts(one) for one in case.after):
        return _cannot_tell(case)
    return by_words(case, had) or _by_ranks(case, had)


def _by_ranks(case: Case, had: Sequence[RankChange]) -> Cause:
    """Decide by the expected documents alone, where the answer's words do not tell."""
    if any(fell(one) for one in had):
        far = any(fell(one, by=_FAR) for one in had)
        if far and all(gave_up_by_run(case)):
            return retrieval(case, "the answer gave up")
        return _cannot_tell(case)
    return _generation(case, had) if had and _passages_held(case) else _cannot_tell(case)


def _after_a_loss(case: Case, had: Sequence[RankChange]) -> Cause:
    """An expected document is gone: that explains a fall unless its content is still there."""
    chunks = worst_run(case).output.chunks
    if supports(chunks, case.sample.references):
        return unknown(f"{rank_words(had)}, yet another chunk holds the reference answer")
    if (
        all(one.after is None for one in had)
        or trace_run(case, worst_run(case)).origin is not Origin.NOWHERE
    ):
        return retrieval(case)
    return unknown(f"{rank_words(had)}, and the answer says what no chunk holds: both may be it")


def _texts(record: Record) -> bool:
    return any(chunk.text for chunk in record.output.chunks)


def _passages_held(case: Case) -> bool:
    """True where the passages of the expected documents can be taken to be there still."""
    return _expected_chunks_held(case) or supports(
        worst_run(case).output.chunks, case.sample.references
    )


def _expected_chunks_held(case: Case) -> bool:
    expected = case.sample.expected
    old = {layout(record, expected) for record in case.before}
    return all(layout(record, expected) in old for record in case.after)


def _generation(case: Case, held: Sequence[RankChange]) -> Cause:
    evidence = (
        f"{rank_words(held)}; the contexts changed elsewhere, and the answer{score_words(case)}"
    )
    return Cause(kind=CauseKind.GENERATION, evidence=evidence)


def _cannot_tell(case: Case) -> Cause:
    seen = rank_words(case.ranks)
    return unknown("contexts and answer both changed" + (f"; {seen}" if seen else ""))
