"""One sample whose contexts are the same on both sides, and whose answer or scores are not."""

from __future__ import annotations

from ragate.core.diagnosis import context_texts
from ragate.core.diagnosis.answer_evidence import says_now, score_words
from ragate.core.diagnosis.displacement import contexts
from ragate.core.diagnosis.sample_diff import SampleDiff, unknown, values
from ragate.core.diagnosis.system_changes import Stage
from ragate.models import Cause, CauseKind, Reads

_HALF = 0.5


def same_contexts(case: SampleDiff) -> Cause:
    """Return generation, unless nothing that writes the answer has changed.

    Sentences that are quoted without a model are chosen by the weights of words in the index: there
    the documents, or how they are indexed, change an answer from the same contexts too.
    """
    if _seen_as_low(case):
        return unknown(
            "the baseline retrieved these same contexts in some of its runs, and scored as low "
            "there: run-to-run noise"
        )
    if case.moved and all(one.reads is Reads.RETRIEVAL for one in case.moved):
        return another_verdict(case)
    chunks = f"same {len(case.after[0].output.chunks)} chunks"
    if case.changes.spares(Stage.ANSWER):
        return _answerer_is_the_same(case, chunks)
    named = Stage.ANSWER in case.changes.stages
    if case.changes.has_model is False and Stage.OTHER in case.changes.stages and not named:
        return unknown(f"{chunks}, another answer{score_words(case)}; it is not known which part")
    if not context_texts.equal(case) and not case.changes.only(Stage.ANSWER):
        return unknown(f"the same documents, another answer{score_words(case)}; "
                       f"{context_texts.UNKNOWN}")  # fmt: skip
    return _generation(case, chunks)


def _seen_as_low(case: SampleDiff) -> bool:
    """True where the baseline's own runs from these contexts hold most of the movement."""
    seen = {record.retrieval_hash for record in case.after}
    twins = [record for record in case.before if record.retrieval_hash in seen]
    lead = case.lead
    if lead is None or len(twins) == len(case.before):
        return False
    old, new = values(twins, lead.metric), values(case.after, lead.metric)
    if not old or not new:
        return False
    left = sum(new) / len(new) - sum(old) / len(old)
    return left / (lead.after - lead.before) < _HALF


def _answerer_is_the_same(case: SampleDiff, chunks: str) -> Cause:
    if case.changes.stages and case.changes.has_model is False:
        return contexts(case, f"{chunks}; what is quoted of them is chosen by the words' weights")
    return unknown(
        f"{chunks}, another answer{score_words(case)}; nothing that writes it changed, so it "
        "varies by itself"
    )


def _generation(case: SampleDiff, chunks: str) -> Cause:
    seen = {record.retrieval_hash for record in case.after}
    twins = [record for record in case.before if record.retrieval_hash in seen]
    said = says_now(case)
    evidence = f"{chunks}, another answer{score_words(case)}"
    evidence += f"; {said}" if said else ""
    answers = {record.output_hash for record in twins}
    if len(answers) > 1:
        evidence += f"; the baseline's own {len(twins)} runs gave {len(answers)} answers"
    return Cause(kind=CauseKind.GENERATION, evidence=evidence)


def another_verdict(case: SampleDiff) -> Cause:
    """Blame the judge, or the metric itself, where what it reads is the same."""
    lead = case.moved[0]
    if not lead.judged:
        return unknown(f"{lead.metric} scored the same text otherwise: the metric changed")
    evidence = f"what {lead.metric} reads is the same, the verdict is another{score_words(case)}"
    return Cause(kind=CauseKind.JUDGE, evidence=evidence)
