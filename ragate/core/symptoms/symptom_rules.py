"""The symptom table: what a run's figures point to, and what to do about it."""

from collections.abc import Callable
from typing import NamedTuple

from ragate.core.quoting_phrases import UNMEASURED_SYMPTOM
from ragate.core.symptoms.run_figures import RunFigures
from ragate.models import Diagnosis

_MANY_ERRORS = 0.02
_RISE = 0.02


class SymptomRule(NamedTuple):
    """One row of the table.

    Attributes:
        holds: Whether the symptom shows. Metrics that were not measured are neither low nor high.
        says: Symptom, likely cause and action, in words.
        shows: Families whose readings stand behind the symptom, where they were measured.
        beside_all_low: True where it is said although no single stage explains the run.
    """

    holds: Callable[[RunFigures], bool]
    says: Callable[[RunFigures], Diagnosis]
    shows: tuple[str, ...] = ()
    beside_all_low: bool = False


def _flipped(run: RunFigures) -> Diagnosis:
    assert run.flips is not None  # where the rule holds
    lost, worse, kind, cause, action = run.flips
    return Diagnosis(
        symptom=f"{lost} of the {worse} samples that got worse: {kind}",
        likely_cause=cause,
        action=action,
    )


# Most telling first.
SYMPTOM_RULES = (
    SymptomRule(
        holds=lambda run: run.lost and bool(run.changes.words),
        says=lambda run: Diagnosis(
            symptom=f"the system is not the baseline's: {run.changes.words}",
            likely_cause=f"what changed in the system: {run.changes.words}",
            action="look at this first: take it back, check again, and see what is left",
        ),
        beside_all_low=True,
    ),
    SymptomRule(
        holds=lambda run: bool(run.unscored),
        says=lambda run: Diagnosis(
            symptom=f"{UNMEASURED_SYMPTOM}: {run.unscored_words}",
            likely_cause=run.unscored_reason,
            action="mend that first; a judge that times out wants a longer timeout_s or a lower "
            "concurrency, and its finished verdicts are kept",
        ),
        beside_all_low=True,
    ),
    SymptomRule(
        holds=lambda run: run.all_low,
        says=lambda _: Diagnosis(
            symptom="everything measured is low",
            likely_cause="the corpus or its index is bad: no stage alone explains this",
            action="look at what was ingested: the number of documents, their cleaned text, and "
            "whether the vectors match the embedder that asks",
        ),
        shows=("hits", "faithful", "relevant", "correct"),
        beside_all_low=True,
    ),
    SymptomRule(
        holds=lambda run: run.value("error_rate") > _MANY_ERRORS,
        says=lambda run: Diagnosis(
            symptom=f"the system fails: error_rate is {run.rows['error_rate'].candidate:.3f}",
            likely_cause="exceptions, timeouts or empty answers of the system under test",
            action="read the errors of the failed samples; a failed sample scores worst on every "
            "quality metric, so mend this first",
        ),
    ),
    SymptomRule(
        holds=lambda run: run.low("hits"),
        says=lambda run: Diagnosis(
            symptom="expected documents are missed",
            likely_cause="retrieval does not find the relevant documents",
            action=f"{run.advice.find_documents}; look at chunk size and at how their text was "
            "cleaned",
        ),
        shows=("hits",),
    ),
    SymptomRule(
        holds=lambda run: run.high("hits") and run.low("ranks"),
        says=lambda _: Diagnosis(
            symptom="the right documents come late",
            likely_cause="they are found and ranked below others",
            action="add a reranker, tune the embedder or the term weights, or index titles and "
            "headings with the text",
        ),
        shows=("hits", "ranks"),
    ),
    # Faithfulness and relevancy, apart and together: they catch different failures.
    SymptomRule(
        holds=lambda run: run.high("grounding") and run.low("relevant"),
        says=lambda _: Diagnosis(
            symptom="true to the contexts, beside the question",
            likely_cause="retrieval brings passages about something else, and the answer follows "
            "them",
            action="improve how queries match documents: metadata filters, fewer chunks, a "
            "reranker",
        ),
        shows=("grounding", "relevant"),
    ),
    SymptomRule(
        holds=lambda run: run.low("grounding") and run.right("relevant"),
        says=lambda run: Diagnosis(
            symptom="answers say what the contexts do not",
            likely_cause=f"{run.advice.made_up}{run.advice.to_right_question}",
            action=run.advice.stay_with_contexts,
        ),
        shows=("grounding", "relevant"),
    ),
    SymptomRule(
        holds=lambda run: run.low("grounding") and not run.right("relevant"),
        says=lambda run: Diagnosis(
            symptom="answers say what the contexts do not",
            likely_cause=run.advice.made_up,
            action=run.advice.stay_with_contexts,
        ),
        shows=("grounding",),
    ),
    SymptomRule(
        holds=lambda run: run.low("relevant") and not run.high("grounding"),
        says=lambda run: Diagnosis(
            symptom="answers miss the question",
            likely_cause="the contexts are too general, or the answer drifts off",
            action="read the contexts of the worst samples; filter by metadata"
            f"{run.advice.name_question}",
        ),
        shows=("relevant",),
    ),
    SymptomRule(
        holds=lambda run: run.low("correct"),
        says=lambda run: Diagnosis(
            symptom="answers are right in part",
            likely_cause="the facts are spread over chunks or cut at their edges, or the answer "
            "is too short",
            action="raise chunk overlap or size; check that the documents hold the whole answer; "
            f"{run.advice.whole_answers}",
        ),
        shows=("correct",),
    ),
    # Without a judge: answers lost words of the references, and no other stage explains it.
    SymptomRule(
        holds=lambda run: (
            run.low("overlap")
            and run.readings.keys().isdisjoint({"correct", "relevant"})
            and not (run.low("hits") or run.low("grounding"))
        ),
        says=lambda run: Diagnosis(
            symptom="answers leave the references",
            likely_cause="they leave parts out, or follow a passage about something else",
            action=f"read the evidence of the worst samples: {run.advice.cut_short} for "
            "metadata filters, fewer chunks or a reranker",
        ),
        shows=("overlap", "grounding", "hits"),
    ),
    SymptomRule(
        holds=lambda run: run.change("false_refusal") >= _RISE,
        says=lambda run: Diagnosis(
            symptom="refusals rise: false_refusal is "
            f"{run.rows['false_refusal'].candidate:.3f}, {run.rows['false_refusal'].change:+.3f}",
            likely_cause=f"{run.advice.readily}, or the evidence no longer arrives",
            action=f"compare with the hit rate: if that held, {run.advice.refuse_less}; "
            "if it fell, mend retrieval",
        ),
    ),
    SymptomRule(
        holds=lambda run: run.change("refusal_recall") <= -_RISE,
        says=lambda run: Diagnosis(
            symptom="unanswerable questions get answers: refusal_recall is "
            f"{run.rows['refusal_recall'].candidate:.3f}, {run.rows['refusal_recall'].change:+.3f}",
            likely_cause=run.advice.unsure,
            action=run.advice.refuse_more,
        ),
    ),
    SymptomRule(
        holds=lambda run: bool(run.fallen_citations),
        says=lambda run: Diagnosis(
            symptom=f"citations fall: {run.fallen_citations}",
            likely_cause=run.advice.numbering,
            action=run.advice.compare_numbering,
        ),
    ),
    SymptomRule(
        holds=lambda run: run.flips is not None,
        says=_flipped,
        beside_all_low=True,
    ),
)
