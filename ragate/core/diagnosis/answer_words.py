"""What the words of one sample's answers show: where they come from, and what is left."""

from collections.abc import Sequence

from ragate.core.conversation import conversation
from ragate.core.diagnosis.context_texts import basis_kept, new_chunks
from ragate.core.diagnosis.displacement import blame_contexts, displacers, rank_words
from ragate.core.diagnosis.rank_changes import docs_of
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.diagnosis.score_delta import values
from ragate.core.diagnosis.word_origin import (
    TracedWords,
    WordOrigin,
    gave_up,
    is_part,
    shares_new_words,
    trace,
    words,
)
from ragate.models import Cause, CauseKind, RankChange, Record

_HALF = 0.5


def blame_by_words(diff: SampleDiff, had: Sequence[RankChange]) -> Cause | None:
    """Blame what the new words of the answers point to, or return None.

    Words that only newly placed chunks hold: the contexts. Facts that no chunk holds, or an earlier
    answer cut short: generation, where the passages that it rested on are there still.
    """
    traces = [trace_run(diff, record) for record in diff.after]
    refusals = gave_up_by_run(diff)
    from_suspects = [traced.origin is WordOrigin.SUSPECTS for traced in traces]
    either = (new or gone for new, gone in zip(from_suspects, refusals, strict=True))
    if any(from_suspects) and all(either):
        quoted = traces[from_suspects.index(True)].quoted
        return blame_contexts(diff, f"the answer now says {quoted}, which only these hold")
    if not basis_kept(diff):
        return None
    traced = trace_run(diff, worst_run(diff))
    if traced.origin is WordOrigin.NOWHERE and not any(refusals):
        return Cause(
            kind=CauseKind.GENERATION,
            evidence=f"the answer now says {traced.quoted}, which no retrieved chunk holds",
        )
    old = _answers_of(diff.before)
    if had and all(is_part(record.output.answer or "", old) for record in diff.after):
        return Cause(
            kind=CauseKind.GENERATION,
            evidence=f"{rank_words(had)}; an earlier answer, cut short{score_words(diff)}",
        )
    return None


def says_now(diff: SampleDiff) -> str:
    """Return what the words of a worse answer from the same contexts show, "" where nothing."""
    if not diff.worse:
        return ""
    record, old = worst_run(diff), _answers_of(diff.before)
    answer, chunks = record.output.answer or "", record.output.chunks
    if is_part(answer, old):
        return "an earlier answer, cut short"
    unexpected = set(docs_of(record)) - set(diff.sample.expected)
    earlier = [conversation(diff.sample), *old]
    traced = trace(answer, earlier=earlier, chunks=chunks, suspects=unexpected)
    if traced.origin is WordOrigin.NOWHERE:
        return f"it now says {traced.quoted}, which no retrieved chunk holds"
    if traced.origin is WordOrigin.SUSPECTS and diff.sample.expected:
        holder = max(
            (chunk for chunk in chunks if chunk.doc_id in unexpected),
            key=lambda chunk: len(words(chunk.text) & set(traced.words)),
        )
        return f"it now says {traced.quoted}, as {holder.doc_id} does, not the expected document"
    if traced.origin is WordOrigin.NOTHING_NEW and old and answer:
        length, before = len(answer.split()), min(len(text.split()) for text in old)
        if length <= _HALF * before:
            return f"it says nothing new in {length} words, {before} before"
    return ""


def score_words(diff: SampleDiff) -> str:
    """Return the largest delta as the end of a sentence, "" where no score moved."""
    return "" if diff.largest is None else f": {diff.largest.words}"


def worst_run(diff: SampleDiff) -> Record:
    """Return the candidate's run that shows the largest delta most."""
    delta = diff.deltas[0]
    sign = 1 if delta.after < delta.before else -1

    def key(record: Record) -> float:
        scores = values([record], delta.metric)
        return sign * scores[0] if scores else float("inf")

    return min(diff.after, key=key)


def _answers_of(records: Sequence[Record]) -> list[str]:
    return [record.output.answer for record in records if record.output.answer]


def trace_run(diff: SampleDiff, record: Record) -> TracedWords:
    """Return where the new words of one of the candidate's runs stand."""
    return trace(
        record.output.answer or "",
        earlier=[conversation(diff.sample), *_answers_of(diff.before)],
        chunks=record.output.chunks,
        suspects=displacers(diff),
    )


def follows_new_chunks(diff: SampleDiff) -> bool:
    """Return True where an answer's new words stand in a chunk that the baseline did not have."""
    earlier = [conversation(diff.sample), *_answers_of(diff.before)]
    return any(
        shares_new_words(
            record.output.answer or "", earlier=earlier, chunks=new_chunks(diff, record)
        )
        for record in diff.after
    )


def gave_up_by_run(diff: SampleDiff) -> list[bool]:
    """Return for each of the candidate's runs whether nothing of the old answers is left."""
    old = _answers_of(diff.before)
    return [gave_up(record.output.answer or "", earlier=old) for record in diff.after]
