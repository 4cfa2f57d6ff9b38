"""Reports, runs and samples for tests: every argument has a default that makes a valid object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ragate.core.diagnosis.changed_samples import story_of
from ragate.core.hashing import content_hash, output_hash, retrieval_hash, text_hashes
from ragate.models import (
    Cause,
    CauseKind,
    DataChanges,
    Decision,
    Failure,
    MetricRow,
    MetricVerdict,
    RankChange,
    Record,
    Report,
    RetrievedChunk,
    Run,
    RunFacts,
    RunManifest,
    Sample,
    SampleRow,
    SampleSide,
    Score,
    ScoreChange,
    ScoreState,
    Story,
    SystemInfo,
    SystemOutput,
    Verdict,
)

HEAD = "bad0bad0bad0bad0bad0bad0bad0bad0bad0bad0"
BASE = "465cda5465cda5465cda5465cda5465cda5465cd"
SampleChange = Literal["worse", "better", "mixed", "same", "failed", "new"]
EXIT_CODES = {
    Verdict.PASSED: 0,
    Verdict.BOOTSTRAP: 0,
    Verdict.FAILED: 1,
    Verdict.NO_DECISION: 3,
}


def sample_factory(sample_id: str = "q001", **fields: Any) -> Sample:
    """Return a sample with one expected document and one reference."""
    defaults: dict[str, Any] = {
        "query": f"What does page {sample_id} say?",
        "relevant": {"guide.md": 1},
        "references": ("It says hello.",),
    }
    return Sample(id=sample_id, **(defaults | fields))


def output_factory(
    docs: Sequence[str] = ("guide.md", "faq.md"),
    answer: str | None = "It says hello. [1]",
    *,
    error: Failure | None = None,
    **fields: Any,
) -> SystemOutput:
    """Return an output whose chunks carry a text that names their document."""
    chunks = tuple(RetrievedChunk(doc_id=doc, text=f"This is the text of {doc}.") for doc in docs)
    return SystemOutput(chunks=chunks, answer=answer, error=error, **fields)


def record_factory(
    sample: Sample | None = None,
    output: SystemOutput | None = None,
    *,
    run: int = 0,
    scores: dict[str, float | Score | None] | None = None,
) -> Record:
    """Return a record with true hashes; a score of None is unscored."""
    sample = sample or sample_factory()
    output = output or output_factory()
    return Record(
        sample_id=sample.id,
        run=run,
        content_hash=content_hash(sample),
        retrieval_hash=retrieval_hash(output),
        text_hashes=text_hashes(output),
        output_hash=output_hash(output),
        output=output,
        scores={metric: _score(metric, value) for metric, value in (scores or {}).items()},
    )


def _score(metric: str, value: float | Score | None) -> Score:
    if isinstance(value, Score):
        return value
    if value is None:
        return Score(metric=metric, state=ScoreState.UNSCORED, reason="judge timeout")
    return Score(metric=metric, value=value)


def run_factory(records: Sequence[Record] = (), **manifest: Any) -> Run:
    """Return a run over `records`; other arguments go to its manifest."""
    defaults: dict[str, Any] = {"run_id": "20261118-101500", "system": system_factory()}
    return Run(manifest=RunManifest(**(defaults | manifest)), records=tuple(records))


def system_factory(**fields: Any) -> SystemInfo:
    """Return the identity of the built-in system."""
    return SystemInfo(**({"use": "pgvector", "fingerprint": "0123456789abcdef"} | fields))


def metric_row_factory(
    metric: str = "faithfulness",
    baseline: float | None = 0.91,
    candidate: float | None = 0.91,
    verdict: MetricVerdict = MetricVerdict.HELD,
    **fields: Any,
) -> MetricRow:
    """Return a metric's row; the change follows from the two levels."""
    both = baseline is not None and candidate is not None
    change = round(candidate - baseline, 9) if both else None  # type: ignore[operator]
    defaults: dict[str, Any] = {"level": "error", "n": 200, "change": change}
    return MetricRow(
        metric=metric,
        baseline=baseline,
        candidate=candidate,
        verdict=verdict,
        **(defaults | fields),
    )


def sample_row_factory(
    sample_id: str = "q017",
    query: str = "Is VAT included?",
    *,
    change: SampleChange = "worse",
    expected: Sequence[str] = ("billing/vat.md",),
    docs: tuple[Sequence[str], Sequence[str]] = (("billing/vat.md", "terms.md"),) * 2,
    answers: tuple[str | None, str | None] = ("No, VAT is added.", "Yes, all prices are final."),
    scores: dict[str, tuple[float | None, float | None]] | None = None,
    cause: CauseKind | None = CauseKind.GENERATION,
    evidence: str = "same 2 chunks, another answer",
    displaced_by: Sequence[str] = (),
    **fields: Any,
) -> SampleRow:
    """Return a changed sample; its rank changes follow from `docs`."""
    before, after = (list(side) for side in docs)
    lost = tuple(doc for doc in expected if doc in before and doc not in after)
    found = Cause(
        kind=cause or CauseKind.UNKNOWN,
        evidence=evidence,
        lost=lost,
        displaced_by=tuple(displaced_by),
    )
    row = SampleRow(
        sample_id=sample_id,
        query=query,
        change=change,
        expected=tuple(expected),
        baseline=SampleSide(docs=tuple(before), answer=answers[0]),
        candidate=SampleSide(docs=tuple(after), answer=answers[1]),
        ranks=tuple(
            RankChange(doc_id=doc, before=_rank(doc, before), after=_rank(doc, after))
            for doc in expected
        ),
        scores=tuple(
            ScoreChange(metric=metric, before=pair[0], after=pair[1])
            for metric, pair in (scores or {"faithfulness": (1.0, 0.0)}).items()
        ),
        cause=found if cause else None,
    )
    return row.amended(**fields)


def _rank(doc: str, docs: Sequence[str]) -> int | None:
    return docs.index(doc) + 1 if doc in docs else None


def decision_factory(
    verdict: Verdict = Verdict.PASSED, metrics: Sequence[MetricRow] | None = None, **fields: Any
) -> Decision:
    """Return a decision with the exit code of its verdict."""
    rows = (metric_row_factory(),) if metrics is None else tuple(metrics)
    defaults: dict[str, Any] = {"runs_baseline": 3, "runs_candidate": 1}
    return Decision(
        verdict=verdict,
        metrics=rows,
        **(defaults | fields),
    )


def report_factory(decision: Decision | None = None, **fields: Any) -> Report:
    """Return a report of 200 questions against a baseline."""
    decision = decision or decision_factory()
    has_baseline = decision.verdict is not Verdict.BOOTSTRAP
    defaults: dict[str, Any] = {
        "gate": "support-bot",
        "run_id": "20261118-101500",
        "created": "2026-11-18T10:15:00Z",
        "head": HEAD,
        "base": BASE,
        "ragate_version": "0.1.0",
        "dataset": "evals/golden.jsonl",
        "baseline_path": "baselines/support-bot.json",
        "baseline_recorded": "2026-11-10T08:00:00Z" if has_baseline else "",
        "system": system_factory(),
        "baseline_system": system_factory() if has_baseline else None,
        "facts": RunFacts(samples=200, affected=41, reused=159, duration_s=38.0),
        "data": DataChanges(matched=200, selected=200),
        "story": told(fields.get("samples", ())),
    }
    return Report(decision=decision, **(defaults | fields))


def told(rows: Sequence[SampleRow]) -> Story:
    """Return the story of `rows`, which are all that changed."""
    golden = golden_set_around(rows)
    worse = [one for one, row in zip(golden, rows, strict=False) if row.got_worse]
    return story_of(rows, worse, golden)


def golden_set_around(rows: Sequence[SampleRow]) -> list[Sample]:
    """Return the samples of `rows` among 200 without a tag."""
    of_rows = [sample_factory(f"row-{n}", tags=row.tags) for n, row in enumerate(rows)]
    return [*of_rows, *(sample_factory(f"other-{n}") for n in range(200))]
