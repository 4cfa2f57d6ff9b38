"""The symptom table: what a run's figures point to, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.core.symptoms.advice import MODEL, Advice, advice_for
from ragate.core.symptoms.metric_readings import LOST, Reading, Readings
from ragate.core.symptoms.run_symptoms import (
    citations,
    errors,
    many_unscored,
    missed_refusals,
    most_flips,
    refusals,
    system_changed,
)
from ragate.models import Diagnosis, MetricRow, SampleRow

LOW_HIT_RATE = 0.5
HIGH_HIT_RATE = 0.8
LOW_MRR = 0.5
LOW_FAITHFULNESS = 0.7
LOW_RELEVANCY = 0.7
LOW_CORRECTNESS = 0.6
HIGH = 0.8

_HIT = ("hit_rate", "recall")
_MRR = ("mrr", "ndcg", "map")
_FAITHFUL = ("faithfulness", "faithfulness_binary", "lexical_support")
_NUMBERS = ("unsupported_numbers",)
_RELEVANT = ("relevancy", "answer_relevancy")
_CORRECT = ("correctness", "correctness_binary")
# Words of the reference: their level says little, for a right answer may use its own words.
_OVERLAP = ("idf_f1", "token_f1", "rouge_l")


def symptoms(
    rows: Sequence[MetricRow],
    *,
    samples: Sequence[SampleRow] = (),
    changes: SystemChanges = NOT_COMPARED,
) -> tuple[Diagnosis, ...]:
    """Return the rows of the symptom table that fit, most telling first.

    A rule speaks only where its metrics were measured. A mean counts as low below the rule's
    threshold, or where the metric fell against the baseline.

    Args:
        rows: The metrics of the decision.
        samples: Changed samples with their causes, for a rule on where most flips came from.
        changes: What differs between the two systems: named first where a metric was lost.
    """
    advice = advice_for(has_model=changes.has_model, answered=_answered(samples))
    readings, lost = Readings(rows, advice), _lost(rows)
    every = _all_low(readings)
    found = every if every else [one for rule in _RULES for one in rule(readings)]
    first = system_changed(changes) if lost else []
    flips = most_flips(samples, proven=lost, advice=advice)
    return (*first, *many_unscored(rows), *found, *flips)


def _answered(samples: Sequence[SampleRow]) -> bool:
    """Whether answers come back; so it is taken where no output is shown."""
    shown = [row.candidate for row in samples if row.candidate is not None]
    return not shown or any(side.answer is not None for side in shown)


def _lost(rows: Sequence[MetricRow]) -> bool:
    """Whether more got worse than luck explains: single answers change from run to run."""
    return any(one.verdict in LOST or (one.exact and one.worse > one.better) for one in rows)


def _is_low(reading: Reading | None, limit: float) -> bool:
    return reading is not None and (reading.fell or reading.mean < limit)


def _all_low(readings: Readings) -> list[Diagnosis]:
    """Retrieval and at least two answer metrics below half: no single stage explains it."""
    hit = readings.of(_HIT)
    answers = [readings.of(names) for names in (_FAITHFUL, _RELEVANT, _CORRECT)]
    measured = [one for one in answers if one is not None]
    if hit is None or len(measured) < len(answers) - 1:
        return []
    if any(one.mean >= LOW_HIT_RATE for one in (hit, *measured)):
        return []
    return [
        Diagnosis(
            symptom="everything measured is low: "
            + "; ".join(one.shown for one in (hit, *measured)),
            likely_cause="the corpus or its index is bad: no stage alone explains this",
            action="look at what was ingested: the number of documents, their cleaned text, and "
            "whether the vectors match the embedder that asks",
        )
    ]


def _low_hit_rate(readings: Readings) -> list[Diagnosis]:
    hit = readings.of(_HIT)
    if hit is None or not _is_low(hit, LOW_HIT_RATE):
        return []
    return [
        Diagnosis(
            symptom=f"expected documents are missed: {hit.shown}",
            likely_cause="retrieval does not find the relevant documents",
            action="check with `ragate doctor` that they are in the corpus; raise top_k; look at "
            "chunk size and at how their text was cleaned",
        )
    ]


def _low_ranks(readings: Readings) -> list[Diagnosis]:
    hit, mrr = readings.of(_HIT), readings.of(_MRR)
    if hit is None or mrr is None or hit.mean < HIGH_HIT_RATE or hit.fell:
        return []
    if not _is_low(mrr, LOW_MRR):
        return []
    return [
        Diagnosis(
            symptom=f"the right documents come late: {hit.shown}; {mrr.shown}",
            likely_cause="they are found and ranked below others",
            action="add a reranker, tune the embedder or the term weights, or index titles and "
            "headings with the text",
        )
    ]


def _grounding(readings: Readings) -> list[Diagnosis]:
    """Faithfulness and relevancy, apart and together: they catch different failures."""
    faithful, relevant = _faithful(readings), readings.of(_RELEVANT)
    low_faith = _is_low(faithful, LOW_FAITHFULNESS)
    low_relevant = _is_low(relevant, LOW_RELEVANCY)
    found = []
    if faithful and relevant and low_relevant and not low_faith and faithful.mean >= HIGH:
        return [_answers_another_question(faithful, relevant)]
    if faithful and low_faith:
        beside = relevant if not low_relevant else None
        found.append(_made_up(faithful, beside, readings.advice))
    if relevant and low_relevant:
        found.append(
            Diagnosis(
                symptom=f"answers miss the question: {relevant.shown}",
                likely_cause="the contexts are too general, or the answer drifts off",
                action="read the contexts of the worst samples; filter by metadata"
                + readings.advice.name_question,
            )
        )
    return found


def _faithful(readings: Readings) -> Reading | None:
    """Return the reading of faithfulness; a judge-free one may see made-up numbers alone."""
    faithful, made_up = readings.of(_FAITHFUL), readings.of(_NUMBERS)
    if not _is_low(faithful, LOW_FAITHFULNESS) and _is_low(made_up, LOW_FAITHFULNESS):
        return made_up
    return faithful


def _answers_another_question(faithful: Reading, relevant: Reading) -> Diagnosis:
    return Diagnosis(
        symptom=f"true to the contexts, beside the question: {faithful.shown}; {relevant.shown}",
        likely_cause="retrieval brings passages about something else, and the answer follows them",
        action="improve how queries match documents: metadata filters, fewer chunks, a reranker",
    )


def _made_up(faithful: Reading, relevant: Reading | None, advice: Advice) -> Diagnosis:
    beside = f"; {relevant.shown}" if relevant else ""
    right_question = relevant is not None and advice is MODEL
    return Diagnosis(
        symptom=f"answers say what the contexts do not: {faithful.shown}{beside}",
        likely_cause=advice.made_up + (" to the right question" if right_question else ""),
        action=advice.stay_with_contexts,
    )


def _low_correctness(readings: Readings) -> list[Diagnosis]:
    correct = readings.of(_CORRECT)
    if correct is None or not _is_low(correct, LOW_CORRECTNESS):
        return []
    return [
        Diagnosis(
            symptom=f"answers are right in part: {correct.shown}",
            likely_cause="the facts are spread over chunks or cut at their edges, or the answer "
            "is too short",
            action="raise chunk overlap or size; check that the documents hold the whole answer; "
            f"{readings.advice.whole_answers}",
        )
    ]


def _far_from_references(readings: Readings) -> list[Diagnosis]:
    """Without a judge: answers lost words of the references, and no other stage explains it."""
    if readings.of(_CORRECT) is not None or readings.of(_RELEVANT) is not None:
        return []
    words, hit, faithful = readings.of(_OVERLAP), readings.of(_HIT), _faithful(readings)
    if words is None or not words.fell:
        return []
    if _is_low(hit, LOW_HIT_RATE) or _is_low(faithful, LOW_FAITHFULNESS):
        return []
    beside = "".join(f"; {one.shown}" for one in (faithful, hit) if one is not None)
    return [
        Diagnosis(
            symptom=f"answers leave the references: {words.shown}{beside}",
            likely_cause="they leave parts out, or follow a passage about something else",
            action=f"read the evidence of the worst samples: {readings.advice.cut_short} for "
            "metadata filters, fewer chunks or a reranker",
        )
    ]


_RULES: tuple[Callable[[Readings], list[Diagnosis]], ...] = (
    errors,
    _low_hit_rate,
    _low_ranks,
    _grounding,
    _low_correctness,
    _far_from_references,
    refusals,
    missed_refusals,
    citations,
)
