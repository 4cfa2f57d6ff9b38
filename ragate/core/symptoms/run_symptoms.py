"""Symptoms of the run rather than of an answer: errors, refusals, citations, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragate.core.diagnosis.system_changes import SystemChanges
from ragate.core.symptoms.advice import MODEL, Advice, by_cause
from ragate.core.symptoms.metric_readings import Readings
from ragate.models import CauseKind, Diagnosis, MetricRow, SampleRow

MANY_UNSCORED = 0.05
MANY_ERRORS = 0.02
RISE = 0.02
MANY_FLIPS = 5
MOST_FLIPS = 0.5
_CITATIONS = ("citation_validity", "citation_coverage")


def errors(readings: Readings) -> list[Diagnosis]:
    row = readings.rows.get("error_rate")
    if row is None or row.candidate is None or not row.candidate > MANY_ERRORS:
        return []
    return [
        Diagnosis(
            symptom=f"the system fails: error_rate is {row.candidate:.3f}",
            likely_cause="exceptions, timeouts or empty answers of the system under test",
            action="read the errors of the failed samples; a failed sample scores worst on every "
            "quality metric, so mend this first",
        )
    ]


def refusals(readings: Readings) -> list[Diagnosis]:
    row = readings.rows.get("false_refusal")
    if row is None or row.change is None or not row.change >= RISE:
        return []
    return [
        Diagnosis(
            symptom=f"refusals rise: false_refusal is {row.candidate:.3f}, {row.change:+.3f}",
            likely_cause=f"{readings.advice.readily}, or the evidence no longer arrives",
            action=f"compare with the hit rate: if that held, {readings.advice.refuse_less}; "
            "if it fell, mend retrieval",
        )
    ]


def missed_refusals(readings: Readings) -> list[Diagnosis]:
    row = readings.rows.get("refusal_recall")
    if row is None or row.change is None or not row.change <= -RISE:
        return []
    return [
        Diagnosis(
            symptom="unanswerable questions get answers: "
            f"refusal_recall is {row.candidate:.3f}, {row.change:+.3f}",
            likely_cause=readings.advice.unsure,
            action=readings.advice.refuse_more,
        )
    ]


def citations(readings: Readings) -> list[Diagnosis]:
    fallen = [
        row
        for name in _CITATIONS
        if (row := readings.rows.get(name)) is not None
        and row.change is not None
        and row.change <= -RISE
    ]
    if not fallen:
        return []
    shown = "; ".join(f"{row.metric} {row.change:+.3f}" for row in fallen)
    return [
        Diagnosis(
            symptom=f"citations fall: {shown}",
            likely_cause=readings.advice.numbering,
            action=readings.advice.compare_numbering,
        )
    ]


def many_unscored(rows: Sequence[MetricRow]) -> list[Diagnosis]:
    """Too much of a metric was not measured; the most frequent reason is named."""
    found = []
    for row in rows:
        asked = row.n + row.unscored_candidate
        if not asked or row.unscored_candidate / asked <= MANY_UNSCORED:
            continue
        why = max(row.unscored_reasons, key=lambda one: row.unscored_reasons[one], default="")
        found.append((row.metric, f"{row.unscored_candidate} of {asked}", why))
    if not found:
        return []
    return [
        Diagnosis(
            symptom="much was not measured: "
            + "; ".join(f"{metric} unscored on {share}" for metric, share, _why in found),
            likely_cause=next((why for *_rest, why in found if why), "the scorer gave no score"),
            action="mend that first; a judge that times out wants a longer timeout_s or a lower "
            "concurrency, and its finished verdicts are kept",
        )
    ]


# What a system does by itself from run to run, so that only a proven loss makes it a symptom.
_NOISY = frozenset({CauseKind.RETRIEVAL, CauseKind.GENERATION, CauseKind.JUDGE})


def system_changed(changes: SystemChanges) -> list[Diagnosis]:
    """Name what changed in the system's configuration or documents: where to look first."""
    if not changes.words:
        return []
    return [
        Diagnosis(
            symptom=f"the system is not the baseline's: {changes.words}",
            likely_cause=f"what changed in the system: {changes.words}",
            action="look at this first: take it back, check again, and see what is left",
        )
    ]


def most_flips(
    samples: Sequence[SampleRow], *, proven: bool, advice: Advice = MODEL
) -> list[Diagnosis]:
    """Say where most of the samples that got worse were lost.

    Args:
        proven: Whether any metric got worse beyond luck.
    """
    worse = [
        row.cause.kind
        for row in samples
        if row.cause and row.change in ("worse", "mixed", "failed")
    ]
    if len(worse) < MANY_FLIPS:
        return []
    kind, count = Counter(worse).most_common(1)[0]
    if kind in _NOISY and not proven:
        return []
    words = by_cause(advice)
    if kind not in words or count <= MOST_FLIPS * len(worse):
        return []
    cause, action = words[kind]
    return [
        Diagnosis(
            symptom=f"{count} of the {len(worse)} samples that got worse: {kind.value}",
            likely_cause=cause,
            action=action,
        )
    ]
