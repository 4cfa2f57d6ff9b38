"""Evidence from the words of one sample's answers: where they come from, and what is left."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.core.diagnosis.context_texts import kept, new_chunks
from ragate.core.diagnosis.displacement import contexts, displacers, rank_words
from ragate.core.diagnosis.output_evidence import (
    Origin,
    Traced,
    docs_of,
    gave_up,
    is_part,
    shares_new_words,
    trace,
    words,
)
from ragate.core.diagnosis.sample_diff import SampleDiff, values
from ragate.models import Cause, CauseKind, RankChange, Record

_HALF = 0.5


def by_words(case: SampleDiff, had: Sequence[RankChange]) -> Cause | None:
    """Blame what the new words of the answers point to, or return None.

    Words that only newly placed chunks hold: the contexts. Facts that no chunk holds, or an earlier
    answer cut short: generation, where the passages that it rested on are there still.
    """
    traces = [trace_run(case, record) for record in case.after]
    gone = gave_up_by_run(case)
    led = [one for one in traces if one.origin is Origin.SUSPECTS]
    if led and all(one in led or up for one, up in zip(traces, gone, strict=True)):
        return contexts(case, f"the answer now says {_quoted(led[0])}, which only these hold")
    if not kept(case):
        return None
    found = trace_run(case, worst_run(case))
    if found.origin is Origin.NOWHERE and not any(gone):
        return Cause(
            kind=CauseKind.GENERATION,
            evidence=f"the answer now says {_quoted(found)}, which no retrieved chunk holds",
        )
    if had and all(
        is_part(one.output.answer or "", _answers_of(case.before)) for one in case.after
    ):
        return Cause(
            kind=CauseKind.GENERATION,
            evidence=f"{rank_words(had)}; an earlier answer, cut short{score_words(case)}",
        )
    return None


def says_now(case: SampleDiff) -> str:
    """Return what the words of a worse answer from the same contexts show, "" where nothing."""
    if not case.worse:
        return ""
    output, old = worst_run(case).output, _answers_of(case.before)
    answer = output.answer or ""
    if is_part(answer, old):
        return "an earlier answer, cut short"
    others = set(docs_of(worst_run(case))) - set(case.sample.expected)
    found = trace(answer, known=[case.sample.query, *old], chunks=output.chunks, suspects=others)
    if found.origin is Origin.NOWHERE:
        return f"it now says {_quoted(found)}, which no retrieved chunk holds"
    if found.origin is Origin.SUSPECTS and case.sample.expected:
        holder = max(
            (chunk for chunk in output.chunks if chunk.doc_id in others),
            key=lambda chunk: len(words(chunk.text) & set(found.words)),
        )
        return f"it now says {_quoted(found)}, as {holder.doc_id} does, not the expected document"
    if found.origin is Origin.NOTHING_NEW and old and answer:
        now, then = len(answer.split()), min(len(text.split()) for text in old)
        return f"it says nothing new in {now} words, {then} before" if now <= _HALF * then else ""
    return ""


def score_words(case: SampleDiff) -> str:
    if case.lead is None:
        return ""
    return f": {case.lead.metric} {case.lead.before:.3f} -> {case.lead.after:.3f}"


def worst_run(case: SampleDiff) -> Record:
    """Return the candidate's run that shows the leading movement most."""
    lead = case.moved[0]
    sign = 1 if lead.after < lead.before else -1

    def key(record: Record) -> float:
        found = values([record], lead.metric)
        return sign * found[0] if found else float("inf")

    return min(case.after, key=key)


def _answers_of(records: Sequence[Record]) -> list[str]:
    return [record.output.answer for record in records if record.output.answer]


def trace_run(case: SampleDiff, record: Record) -> Traced:
    suspects = set(displacers(case)) - set(case.sample.expected)
    return trace(
        record.output.answer or "",
        known=[case.sample.query, *_answers_of(case.before)],
        chunks=record.output.chunks,
        suspects=suspects,
    )


def follows_new_chunks(case: SampleDiff) -> bool:
    """Return True where an answer's new words stand in a chunk that the baseline did not have."""
    known = [case.sample.query, *_answers_of(case.before)]
    return any(
        shares_new_words(record.output.answer or "", known=known, chunks=new_chunks(case, record))
        for record in case.after
    )


def gave_up_by_run(case: SampleDiff) -> list[bool]:
    """Return for each of the candidate's runs whether nothing of the old answers is left."""
    old = _answers_of(case.before)
    return [gave_up(record.output.answer or "", known=old) for record in case.after]


def _quoted(found: Traced) -> str:
    return ", ".join(f'"{word}"' for word in found.words[:3])
