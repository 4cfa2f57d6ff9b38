"""Contexts against answer: which of the two made one sample's flip.

Outputs from equal contexts come first, then ranks and texts, then the words of the answers.
"""

from collections.abc import Collection, Sequence
from enum import Enum, auto

from ragate.core.conversation import conversation
from ragate.core.diagnosis.context_texts import (
    DOCUMENTS_UNKNOWN,
    TEXTS_UNKNOWN,
    basis_kept,
    blame_contexts,
    displacers,
    edited_documents,
    fell,
    fewer_words,
    ids_and_texts_equal,
    new_chunks,
    rank_words,
    renamed_documents,
    same_ranking,
    texts_known,
)
from ragate.core.diagnosis.sample_diff import (
    SampleDiff,
    apart,
    docs_of,
    generation,
    named,
    unknown,
    values,
)
from ragate.core.diagnosis.system_changes import Stage
from ragate.core.diagnosis.word_origin import (
    TracedWords,
    WordOrigin,
    gave_up,
    is_part,
    shares_new_words,
    supports,
    trace,
    words,
)
from ragate.models import Cause, CauseKind, RankChange, Reads, Record

_FAR = 3  # ranks; a smaller fall seldom takes a passage out of an answerer's sight
_HALF = 0.5  # of a change, or of an answer's words
# Judged against the reference alone: contexts are no part of the question.
_REFERENCE_ONLY = frozenset({"correctness", "correctness_binary"})


class Answers(Enum):
    """What can be said of the answers of the two sides."""

    SAME = auto()
    DIFFERENT = auto()
    UNKNOWN = auto()


def attribute(diff: SampleDiff) -> Cause:
    """Return retrieval, generation, data or unknown for outputs that differ.

    The first that holds answers: the contexts are the same; what moved reads no context; only what
    is upstream of the contexts changed. Otherwise ranks, texts and words have to tell.
    """
    answers = compare_answers(diff.before, diff.after)
    same_answers = answers is Answers.SAME
    if same_answers and diff.same_contexts and diff.deltas and _are_plain_answers(diff):
        return scored_otherwise(diff)
    if _holds_no_contexts(diff):
        if all(record.output.answer is None for record in diff.after):
            return unknown("the file holds scores, and no outputs")
        return unknown("another answer; what was retrieved is not recorded")
    if diff.same_contexts:
        return blame_answer(diff)
    if answers is not Answers.DIFFERENT and _reads_no_context(diff):
        return scored_otherwise(diff) if same_answers else _cannot_tell(diff)
    if _only_upstream_changed(diff):
        return blame_contexts(diff, "the answer is the same" if same_answers else "")

    cause = _by_texts(diff, answers)
    if cause.kind is not CauseKind.GENERATION:
        return cause
    if diff.changes.spares(Stage.ANSWER):
        return unknown(f"nothing that writes the answer changed, yet {cause.evidence}")
    if _is_only_seen(diff):
        return unknown(f"contexts and answer both changed; {cause.evidence}")
    return cause


def _came_scored(diff: SampleDiff) -> bool:
    """Return whether an evaluator's scores stand in the outputs."""
    return all(record.output.reported is not None for record in diff.after)


def _holds_no_contexts(diff: SampleDiff) -> bool:
    """Return whether these are scores of a file that does not say what was retrieved."""
    if any(record.retrieval_hash == "" for record in diff.records):
        return True
    return _came_scored(diff) and not any(record.output.chunks for record in diff.records)


def _is_only_seen(diff: SampleDiff) -> bool:
    """True where the passages of the whole run show a change that the system did not tell of."""
    return not diff.changes.comparable and diff.changes.stages == {Stage.CONTEXTS}


def _are_plain_answers(diff: SampleDiff) -> bool:
    """Return whether these are whole answers, without tool calls and without reranking."""
    outputs = (record.output for record in diff.records)
    return all(
        output.answer is not None
        and output.tool_calls is None
        and output.first_stage is None
        and not output.cut_off
        for output in outputs
    )


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


def _reads_no_context(diff: SampleDiff) -> bool:
    """True where all that moved are judgements of the answer against the reference."""
    names = {delta.metric.partition("@")[0] for delta in diff.deltas}
    return bool(names) and names <= _REFERENCE_ONLY and all(delta.judged for delta in diff.deltas)


def _only_upstream_changed(diff: SampleDiff) -> bool:
    """True where nothing can have moved the scores but documents, or but retrieval settings.

    Where retrieval or the answers vary by themselves, the texts have to tell.
    """
    if not _changed_one_stage(diff):
        return False
    retrieval_repeats = len(diff.old_contexts) == 1 or Reads.RETRIEVAL in diff.changes.repeats
    return retrieval_repeats and _beyond_noise(diff)


def _changed_one_stage(diff: SampleDiff) -> bool:
    return diff.changes.only(Stage.CORPUS) or diff.changes.only(Stage.CONTEXTS)


def _beyond_noise(diff: SampleDiff) -> bool:
    """True where every run of the candidate scored beyond all runs of the baseline.

    That is asked of what moved most, and of what reads retrieval alone: answers may vary there.
    """
    if not diff.deltas:
        return True
    of_retrieval = [delta for delta in diff.deltas if delta.reads is Reads.RETRIEVAL]
    telling = [diff.deltas[0], *of_retrieval]
    return any(
        apart(values(diff.before, delta.metric), values(diff.after, delta.metric))
        for delta in telling
    )


def _by_texts(diff: SampleDiff, answers: Answers) -> Cause:
    """Decide by ranks, by the chunks' texts and by the words of the answers."""
    if new_ids := renamed_documents(diff):
        return _renamed(new_ids)
    if same_ranking(diff):
        return _edited_or_cut_otherwise(diff)
    if answers is Answers.SAME:
        return blame_contexts(diff, "the answer is the same")
    if not diff.deltas:
        return unknown("contexts and answer both differ, and no score moved")
    if all(delta.reads is Reads.RETRIEVAL for delta in diff.deltas):
        return blame_contexts(diff)
    return _worse(diff, answers) if diff.worse else _better(diff)


def _renamed(new_ids: dict[str, str]) -> Cause:
    pairs = [f"{old} as {new}" for old, new in new_ids.items()]
    return Cause(
        kind=CauseKind.DATA,
        evidence=f"same text under another id: {named(pairs)}",
        lost=tuple(new_ids),
        displaced_by=tuple(new_ids.values()),
    )


def _edited_or_cut_otherwise(diff: SampleDiff) -> Cause:
    same = "the same documents came back in the same order, with other texts"
    if _changed_one_stage(diff):
        return blame_contexts(diff, same)
    edited = edited_documents(diff)
    whose = f" of {named(edited)}" if edited else ""
    cause = unknown(f"{same}{whose}: the documents were edited, or are cut otherwise")
    return cause.amended(edited=edited)


def _better(diff: SampleDiff) -> Cause:
    if any(rank.before is None and rank.after is not None for rank in diff.ranks):
        return blame_contexts(diff)
    retrieved_before = _expected_retrieved_before(diff)
    if retrieved_before and all(rank.before == rank.after for rank in retrieved_before):
        return _generation(diff, retrieved_before)
    return _cannot_tell(diff)


def _worse(diff: SampleDiff, answers: Answers) -> Cause:
    retrieved_before = _expected_retrieved_before(diff)
    if any(rank.after is None for rank in retrieved_before):
        return _after_a_loss(diff, retrieved_before)
    has_texts = any(chunk.text for record in diff.after for chunk in record.output.chunks)
    if answers is Answers.UNKNOWN or not has_texts:
        return _cannot_tell(diff)
    return blame_by_words(diff, retrieved_before) or _by_ranks(diff, retrieved_before)


def _expected_retrieved_before(diff: SampleDiff) -> list[RankChange]:
    """Return the ranks of the expected documents that the baseline retrieved."""
    return [rank for rank in diff.ranks if rank.before is not None]


def _by_ranks(diff: SampleDiff, retrieved_before: Sequence[RankChange]) -> Cause:
    """Decide by the expected documents alone, where the answer's words do not tell."""
    if not retrieved_before:
        return _cannot_tell(diff)
    if not any(map(fell, retrieved_before)):
        return _generation(diff, retrieved_before)
    fell_far = any(fell(rank, by=_FAR) for rank in retrieved_before)
    if fell_far and all(gave_up_by_run(diff)):
        return blame_contexts(diff, "the answer gave up")
    return _cannot_tell(diff)


def _after_a_loss(diff: SampleDiff, retrieved_before: Sequence[RankChange]) -> Cause:
    """An expected document is gone: that explains a fall unless its content is still there."""
    worst = worst_run(diff)
    if supports(worst.output.chunks, diff.sample.references):
        return unknown(
            f"{rank_words(retrieved_before)}, yet another chunk holds the reference answer"
        )
    if all(rank.after is None for rank in retrieved_before):
        return blame_contexts(diff)
    traced = trace_run(diff, worst, displacers(diff))
    if traced.origin is not WordOrigin.NOWHERE:
        return blame_contexts(diff)
    return unknown(
        f"{rank_words(retrieved_before)}, and the answer says what no chunk holds: both may be it"
    )


def _generation(diff: SampleDiff, retrieved_before: Sequence[RankChange]) -> Cause:
    """Blame generation where its passages are there still, and no new one says what it says."""
    if not basis_kept(diff) or follows_new_chunks(diff):
        return _cannot_tell(diff)
    elsewhere = f"the contexts changed elsewhere, and the answer{score_words(diff)}"
    return generation(f"{rank_words(retrieved_before)}; {elsewhere}")


def _cannot_tell(diff: SampleDiff) -> Cause:
    texts = "" if texts_known(diff) else TEXTS_UNKNOWN
    words = ("contexts and answer both changed", rank_words(diff.ranks), fewer_words(diff), texts)
    return unknown("; ".join(filter(None, words)))


def blame_answer(diff: SampleDiff) -> Cause:
    """Return generation, unless nothing that writes the answer has changed.

    Sentences that are quoted without a model are chosen by the weights of words in the index: there
    the documents, or how they are indexed, change an answer from the same contexts too.
    """
    if _scored_as_low_before(diff):
        return unknown(
            "the baseline retrieved these same contexts in some of its runs, and scored as low "
            "there: run-to-run noise"
        )
    if diff.deltas and all(delta.reads is Reads.RETRIEVAL for delta in diff.deltas):
        return scored_otherwise(diff)
    changes = diff.changes
    same_chunks = f"same {len(diff.after[0].output.chunks)} chunks"
    another_answer = f"another answer{score_words(diff)}"
    if changes.spares(Stage.ANSWER):
        return _answerer_is_the_same(diff, same_chunks)
    unnamed_part_changed = Stage.OTHER in changes.stages and Stage.ANSWER not in changes.stages
    if changes.has_model is False and unnamed_part_changed:
        return unknown(f"{same_chunks}, {another_answer}; it is not known which part")
    if changes.only(Stage.ANSWER):
        return _written_otherwise(diff, same_chunks)
    if _names_no_document(diff):
        return unknown(f"{another_answer}; {DOCUMENTS_UNKNOWN}")
    if not ids_and_texts_equal(diff):
        return unknown(f"the same documents, {another_answer}; {TEXTS_UNKNOWN}")
    return _written_otherwise(diff, same_chunks)


def _names_no_document(diff: SampleDiff) -> bool:
    """True where an answer came with no document on either side: it may rest on any."""
    outputs = [record.output for record in diff.after]
    return not any(output.chunks for output in outputs) and outputs[0].answer is not None


def _twins(diff: SampleDiff) -> list[Record]:
    """Return the baseline's runs that had the contexts of the candidate's."""
    hashes = {record.retrieval_hash for record in diff.after}
    return [record for record in diff.before if record.retrieval_hash in hashes]


def _scored_as_low_before(diff: SampleDiff) -> bool:
    """True where the baseline's own runs from these contexts hold most of the change."""
    twins, delta = _twins(diff), diff.largest
    if delta is None or len(twins) == len(diff.before):
        return False
    old, new = values(twins, delta.metric), values(diff.after, delta.metric)
    if not old or not new:
        return False
    unexplained = sum(new) / len(new) - sum(old) / len(old)
    return unexplained / (delta.after - delta.before) < _HALF


def _answerer_is_the_same(diff: SampleDiff, same_chunks: str) -> Cause:
    if diff.changes.stages and diff.changes.has_model is False:
        note = f"{same_chunks}; what is quoted of them is chosen by the words' weights"
        return blame_contexts(diff, note)
    return unknown(
        f"{same_chunks}, another answer{score_words(diff)}; nothing that writes it changed, so it "
        "varies by itself"
    )


def _written_otherwise(diff: SampleDiff, same_chunks: str) -> Cause:
    evidence = f"{same_chunks}, another answer{score_words(diff)}"
    if new_words := says_now(diff):
        evidence += f"; {new_words}"
    twins = _twins(diff)
    answers = {record.output_hash for record in twins}
    if len(answers) > 1:
        evidence += f"; the baseline's own {len(twins)} runs gave {len(answers)} answers"
    return generation(evidence)


def scored_otherwise(diff: SampleDiff) -> Cause:
    """Blame the judge, or the metric itself, where what it reads is the same."""
    delta = diff.deltas[0]
    if not (delta.judged or _came_scored(diff)):
        return unknown(f"{delta.metric} scored the same text otherwise: the metric changed")
    evidence = f"what {delta.metric} reads is the same, the verdict is another: {delta.words}"
    return Cause(kind=CauseKind.JUDGE, evidence=evidence)


def blame_by_words(diff: SampleDiff, retrieved_before: Sequence[RankChange]) -> Cause | None:
    """Blame what the new words of the answers point to, or return None.

    Words that only newly placed chunks hold: the contexts. Facts that no chunk holds, or an earlier
    answer cut short: generation, where the passages that it rested on are there still.
    """
    newer = displacers(diff)
    traces = [trace_run(diff, record, newer) for record in diff.after]
    refusals = gave_up_by_run(diff)
    from_suspects = [traced.origin is WordOrigin.SUSPECTS for traced in traces]
    explained = [new or gone for new, gone in zip(from_suspects, refusals, strict=True)]
    if any(from_suspects) and all(explained):
        first = traces[from_suspects.index(True)]
        return blame_contexts(diff, f"the answer now says {first.quoted}, which only these hold")

    if not basis_kept(diff):
        return None
    worst = trace_run(diff, worst_run(diff), newer)
    if worst.origin is WordOrigin.NOWHERE and not any(refusals):
        return generation(f"the answer now says {worst.quoted}, which no retrieved chunk holds")
    old = _answers_of(diff.before)
    if retrieved_before and all(is_part(record.output.answer or "", old) for record in diff.after):
        return generation(
            f"{rank_words(retrieved_before)}; an earlier answer, cut short{score_words(diff)}"
        )
    return None


def says_now(diff: SampleDiff) -> str:
    """Return what the words of a worse answer from the same contexts show, "" where nothing."""
    if not diff.worse:
        return ""
    record, old = worst_run(diff), _answers_of(diff.before)
    answer = record.output.answer or ""
    if is_part(answer, old):
        return "an earlier answer, cut short"

    unexpected = set(docs_of(record)) - diff.sample.expected
    traced = trace_run(diff, record, unexpected)
    if traced.origin is WordOrigin.NOWHERE:
        return f"it now says {traced.quoted}, which no retrieved chunk holds"
    if traced.origin is WordOrigin.SUSPECTS and diff.sample.expected:
        holder = _holder(record, unexpected, traced)
        return f"it now says {traced.quoted}, as {holder} does, not the expected document"
    if traced.origin is WordOrigin.NOTHING_NEW and old and answer:
        length, before = len(answer.split()), min(len(text.split()) for text in old)
        if length <= _HALF * before:
            return f"it says nothing new in {length} words, {before} before"
    return ""


def _holder(record: Record, unexpected: Collection[str], traced: TracedWords) -> str:
    """Return which unexpected document holds most of the new words in one chunk."""
    chunks = [chunk for chunk in record.output.chunks if chunk.doc_id in unexpected]
    holder = max(chunks, key=lambda chunk: len(words(chunk.text) & set(traced.words)))
    return holder.doc_id


def score_words(diff: SampleDiff) -> str:
    """Return the largest delta as the end of a sentence, "" where no score moved."""
    return "" if diff.largest is None else f": {diff.largest.words}"


def worst_run(diff: SampleDiff) -> Record:
    """Return the candidate's run that shows the largest delta most."""
    delta = diff.deltas[0]
    sign = 1 if delta.after < delta.before else -1  # where it fell, the lowest score shows it most

    def signed_score(record: Record) -> float:
        scores = values([record], delta.metric)
        return sign * scores[0] if scores else float("inf")

    return min(diff.after, key=signed_score)


def _answers_of(records: Sequence[Record]) -> list[str]:
    return [record.output.answer for record in records if record.output.answer]


def _said_before(diff: SampleDiff) -> list[str]:
    return [conversation(diff.sample), *_answers_of(diff.before)]


def trace_run(diff: SampleDiff, record: Record, suspects: Collection[str]) -> TracedWords:
    """Return where the new words of one of the candidate's runs stand."""
    output, earlier = record.output, _said_before(diff)
    return trace(output.answer or "", earlier=earlier, chunks=output.chunks, suspects=suspects)


def follows_new_chunks(diff: SampleDiff) -> bool:
    """Return True where an answer's new words stand in a chunk that the baseline did not have."""
    earlier = _said_before(diff)
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
