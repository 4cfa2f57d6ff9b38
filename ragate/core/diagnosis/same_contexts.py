"""One sample whose contexts are the same on both sides, and whose answer or scores are not."""

from ragate.core.diagnosis.answer_words import says_now, score_words
from ragate.core.diagnosis.context_texts import TEXTS_UNKNOWN, ids_and_texts_equal
from ragate.core.diagnosis.displacement import blame_contexts
from ragate.core.diagnosis.sample_diff import SampleDiff, unknown
from ragate.core.diagnosis.score_delta import values
from ragate.core.diagnosis.system_changes import Stage
from ragate.models import Cause, CauseKind, Reads, Record

_HALF = 0.5


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
    chunks = f"same {len(diff.after[0].output.chunks)} chunks"
    if changes.spares(Stage.ANSWER):
        return _answerer_is_the_same(diff, chunks)
    answerer_changed = Stage.ANSWER in changes.stages
    if changes.has_model is False and Stage.OTHER in changes.stages and not answerer_changed:
        return unknown(f"{chunks}, another answer{score_words(diff)}; it is not known which part")
    if not ids_and_texts_equal(diff) and not changes.only(Stage.ANSWER):
        same = f"the same documents, another answer{score_words(diff)}"
        return unknown(f"{same}; {TEXTS_UNKNOWN}")
    return _generation(diff, chunks)


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


def _answerer_is_the_same(diff: SampleDiff, chunks: str) -> Cause:
    if diff.changes.stages and diff.changes.has_model is False:
        note = f"{chunks}; what is quoted of them is chosen by the words' weights"
        return blame_contexts(diff, note)
    return unknown(
        f"{chunks}, another answer{score_words(diff)}; nothing that writes it changed, so it "
        "varies by itself"
    )


def _generation(diff: SampleDiff, chunks: str) -> Cause:
    twins, new_words = _twins(diff), says_now(diff)
    evidence = f"{chunks}, another answer{score_words(diff)}"
    evidence += f"; {new_words}" if new_words else ""
    answers = {record.output_hash for record in twins}
    if len(answers) > 1:
        evidence += f"; the baseline's own {len(twins)} runs gave {len(answers)} answers"
    return Cause(kind=CauseKind.GENERATION, evidence=evidence)


def scored_otherwise(diff: SampleDiff) -> Cause:
    """Blame the judge, or the metric itself, where what it reads is the same."""
    delta = diff.deltas[0]
    if not delta.judged:
        return unknown(f"{delta.metric} scored the same text otherwise: the metric changed")
    evidence = f"what {delta.metric} reads is the same, the verdict is another: {delta.words}"
    return Cause(kind=CauseKind.JUDGE, evidence=evidence)
