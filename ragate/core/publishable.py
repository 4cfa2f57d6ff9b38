"""What of a report may leave the machine, by ``[policy] publish``.

Kept fields are named, not those that go: what a report gains later stays at home until somebody
says otherwise here.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ragate.models import (
    Cause,
    Decision,
    MetricRow,
    Publish,
    Report,
    RunDetails,
    SampleEvidence,
    SampleRow,
    SampleSide,
    ScoreChange,
    SideEvidence,
)

WITHHELD = "(not published)"
_SHORTEST = 4  # a shorter text stands in too many words to be taken out of sentences
_ROW = ("sample_id", "tags", "slices", "must_pass", "change", "expected", "ranks")
_SIDES = ("baseline", "candidate")
_SCORE = ("metric", "before", "after", "passed", "passes")
_CAUSE = ("kind", "lost", "displaced_by", "edited")


def publishable(report: Report) -> Report:
    """Return the report without the texts that its policy keeps at home.

    ``answers`` takes out passages, and what quotes them: a judge's reasons. ``ids`` takes out
    questions, answers, references and messages of failures as well, also where a sentence quotes
    them; ids of samples and documents, tags and figures stay.
    """
    if report.publish == "full":
        return report
    report = report.amended(details=_details(report.details, report.publish))
    rows = tuple(_row(row, report.publish) for row in report.samples)
    if report.publish == "answers":
        return report.amended(samples=rows)
    texts = sorted(set(_texts(report)), key=len, reverse=True)
    decision = _without(report.decision, [text for text in texts if len(text) >= _SHORTEST])
    return report.amended(samples=rows, decision=decision)


def _row(row: SampleRow, publish: Publish) -> SampleRow:
    kept = _picked(row, _ROW) | {
        "scores": tuple(ScoreChange(**_picked(score, _SCORE)) for score in row.scores)
    }
    if publish == "answers":
        sides: dict[str, Any] = {side: _side(getattr(row, side)) for side in _SIDES}
        texts = _picked(row, ("query", "messages", "references", "cause"))
        return SampleRow(**kept, **texts, **sides)
    cause = None if row.cause is None else Cause(evidence="", **_picked(row.cause, _CAUSE))
    of_ids: dict[str, Any] = {side: _side_of_ids(getattr(row, side)) for side in _SIDES}
    return SampleRow(query=WITHHELD, cause=cause, **kept, **of_ids)


def _details(details: RunDetails | None, publish: Publish) -> RunDetails | None:
    """Return what a page shows beside, without the passages and, of ``ids``, the questions."""
    if details is None:
        return None
    evidence = {
        sample_id: SampleEvidence(before=_spent(known.before), after=_spent(known.after))
        for sample_id, known in details.evidence.items()
    }
    if publish == "answers":
        return replace(details, evidence=evidence)
    samples = tuple(replace(scores, query=WITHHELD) for scores in details.samples)
    return RunDetails(metrics=details.metrics, samples=samples, evidence=evidence)


def _spent(side: SideEvidence) -> SideEvidence:
    return SideEvidence(usage=side.usage, latency_s=side.latency_s)


def _side(side: SampleSide | None) -> SampleSide | None:
    return None if side is None else SampleSide(**_picked(side, ("docs", "answer", "error")))


def _side_of_ids(side: SampleSide | None) -> SampleSide | None:
    if side is None:
        return None
    return SampleSide(docs=side.docs, error=None if side.error is None else WITHHELD)


def _picked(model: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(model, name) for name in names}


def _texts(report: Report) -> Iterator[str]:
    """Yield every text that must not stand in a sentence of the decision either."""
    for row in report.samples:
        yield from (row.query, *row.references, *(turn.content for turn in row.messages))
        for side in (row.baseline, row.candidate):
            yield from filter(None, (side.answer, side.error) if side is not None else ())
        yield from (score.reason for score in row.scores)
    for metric in report.decision.rows:
        yield from metric.unscored_reasons


def _without(decision: Decision, texts: list[str]) -> Decision:
    def clean(sentence: str) -> str:
        for text in texts:
            sentence = sentence.replace(text, WITHHELD)
        return sentence

    def row(metric: MetricRow) -> Any:
        count = sum(metric.unscored_reasons.values())
        reasons = {WITHHELD: count} if count else {}
        return metric.amended(reason=clean(metric.reason), unscored_reasons=reasons)

    return decision.amended(
        reasons=tuple(map(clean, decision.reasons)),
        warnings=tuple(map(clean, decision.warnings)),
        lines=tuple(map(clean, decision.lines)),
        metrics=tuple(map(row, decision.metrics)),
        slices=tuple(map(row, decision.slices)),
    )
