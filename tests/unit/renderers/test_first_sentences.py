"""Line 1 and what to do, by kind of report: one golden file shows all of them."""

from __future__ import annotations

from typing import Any

from ragate.models import (
    CauseKind,
    DataChanges,
    Direction,
    FloorResult,
    MetricVerdict,
    MustPassRow,
    RankChange,
    Report,
    RunFacts,
    SampleRow,
    SampleSide,
    Story,
    Verdict,
)
from ragate.renderers._headline import headline, status_of
from ragate.renderers._next_steps import next_words
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.unit.renderers.test_golden_reports import matches_golden

ERROR = "RuntimeError: boom (rag.py:12, in answer)"
MRR = metric_row_factory("mrr", 0.9, 0.6, MetricVerdict.REGRESSED, blocks=True, worse=6, n=20)
ERRORS = metric_row_factory("error_rate", 0.0, 1.0, MetricVerdict.REGRESSED, blocks=True, n=20)
UNSURE = metric_row_factory("mrr", 0.9, 0.88, MetricVerdict.CANNOT_TELL, worse=1, n=20, mde=0.1)
BETTER = metric_row_factory("mrr", 0.6, 0.9, MetricVerdict.IMPROVED, better=6, n=20)
COUNT = metric_row_factory("polarity", 1.0, 0.0, MetricVerdict.REGRESSED, worse=20, n=20)
SILENT = metric_row_factory("polarity", n=20, blocks=True, checked=COUNT)
MISSING = metric_row_factory(
    "polarity", None, None, MetricVerdict.NOT_MEASURED, unscored_reasons={"no text": 20}
)
FLOOR = metric_row_factory(
    "mrr", 0.8, 0.8, blocks=True, floor=FloorResult(limit=0.9, kind="point", met=False)
)
ACCEPTED = MRR.amended(blocks=False, accepted=True)
SLOW = metric_row_factory("idf_f1", 0.9, 0.6, MetricVerdict.REGRESSED, level="warn", worse=6, n=20)
SLOWER = metric_row_factory(
    "latency", 1.0, 1.4, MetricVerdict.CANNOT_TELL, unit="seconds", direction=Direction.LOWER
)
DEARER = metric_row_factory(
    "prompt_tokens", 500.0, 620.0, MetricVerdict.CANNOT_TELL, unit="tokens", limit=50.0,
    direction=Direction.LOWER,
)  # fmt: skip
MUST = MustPassRow(
    sample_id="q1", metric="mrr", pass_at=1, tries=3, failed=3, met=False, eligible=True
)


def report(verdict: Verdict, *rows: Any, **fields: Any) -> Report:
    decided = {key: fields.pop(key) for key in ("failed", "must_pass", "reasons") if key in fields}
    story = Story(**{"worse": 6, "told": 6, **fields.pop("story", {})})
    facts = fields.pop("facts", RunFacts(samples=20))
    rest = {"samples": (sample_row_factory("q1"),), **fields}
    return report_factory(
        decision_factory(verdict, rows, **decided), story=story, facts=facts, **rest
    )


def failing() -> tuple[SampleRow, ...]:
    return (sample_row_factory("q1", change="failed", candidate=SampleSide(error=ERROR)),)


def gone() -> tuple[SampleRow, ...]:
    row = sample_row_factory("q1", cause=CauseKind.DATA, docs=(["billing/vat.md"], ["terms.md"]))
    return (row.amended(cause=row.cause and row.cause.amended(lost=("billing/vat.md",))),)


def lower() -> tuple[SampleRow, ...]:
    rank = RankChange(doc_id="billing/vat.md", before=1, after=5)
    return tuple(sample_row_factory(key).amended(ranks=(rank,)) for key in ("q1", "q2"))


FAILED, PASSED, OPEN = Verdict.FAILED, Verdict.PASSED, Verdict.NO_DECISION
CALM: Any = {"story": {"worse": 0, "told": 0}}
KINDS = {
    "all failed": report(OPEN, MISSING, failed=f"20 of 20 questions failed: {ERROR}"),
    "some failed": report(FAILED, MRR, failed=f"7 of 20 questions failed: {ERROR}"),
    "one failed": report(
        FAILED,
        metric_row_factory("error_rate", 0.0, 0.05, blocks=True),
        facts=RunFacts(samples=20, errors=1),
        samples=failing(),
    ),
    "as many failed in the baseline": report(
        OPEN, MISSING, facts=RunFacts(samples=24, errors=2), samples=(), **CALM
    ),
    "not measured": report(OPEN, MISSING),
    "not measured, and red": report(FAILED, MRR, MISSING),
    "not comparable": report(OPEN, MISSING.amended(verdict=MetricVerdict.NOT_COMPARABLE)),
    "empty": report(FAILED, ERRORS, MRR, story={"empty": 20}),
    "one of many is empty": report(FAILED, ERRORS, story={"empty": 1, "worse": 12, "told": 12}),
    "all refused": report(FAILED, MRR, story={"refused": 20}),
    "some refused": report(FAILED, MRR, story={"refused": 3}),
    "documents lost": report(FAILED, MRR, story={"lost": 5}),
    "no documents": report(FAILED, MRR, story={"lost": 18, "emptied": 20}),
    "no documents, refused": report(FAILED, MRR, story={"lost": 18, "emptied": 20, "refused": 20}),
    "same answer": report(FAILED, MRR, story={"alike": 20, "alike_as": "q1"}),
    "documents lost from the corpus": report(FAILED, MRR, story={"lost": 6}, samples=gone()),
    "documents edited": report(FAILED, MRR, story={"causes": {CauseKind.DATA: 6}}),
    "documents further down": report(FAILED, MRR, samples=lower()),
    "documents with other text": report(FAILED, MRR, story={"other_text": 2}),
    "more documents": report(FAILED, MRR, story={"came": (5, 10)}),
    "more documents, better and worse": report(
        PASSED,
        UNSURE.amended(candidate=0.9, change=0.0, worse=0),
        BETTER.amended(metric="recall@5"),
        story={"worse": 1, "told": 1, "came": (5, 10)},
        samples=(sample_row_factory("q1"), sample_row_factory("q2", change="better")),
    ),
    "more documents, better": report(
        PASSED, BETTER, samples=(), story={**CALM["story"], "came": (5, 10)}
    ),
    "answers changed alone": report(FAILED, MRR, story={"causes": {CauseKind.GENERATION: 6}}),
    "a metric fell": report(FAILED, MRR, MRR.amended(metric="recall@5")),
    "nothing left to check": report(FAILED, SILENT),
    "less left to check, may be chance": report(
        PASSED,
        SILENT.amended(
            blocks=False, checked=COUNT.amended(verdict=MetricVerdict.CANNOT_TELL, worse=3)
        ),
    ),
    "floor": report(FAILED, FLOOR, story={"worse": 0, "told": 0}),
    "must-pass": report(FAILED, story={"lost": 1}, must_pass=(MUST,)),
    "all refused, and nothing could tell": report(
        PASSED, UNSURE.amended(candidate=0.9, change=0.0, worse=0), story={"refused": 20}
    ),
    "may be chance": report(PASSED, UNSURE),
    "may be chance, documents lost": report(PASSED, UNSURE, story={"lost": 6}),
    "warning only": report(PASSED, SLOW),
    "accepted": report(PASSED, ACCEPTED),
    "better": report(PASSED, BETTER, samples=(), story={"worse": 0, "told": 0}),
    "better, and the rest cannot be told": report(
        PASSED,
        UNSURE.amended(candidate=0.9, change=0.0),
        BETTER.amended(metric="recall@5"),
        samples=(),
        **CALM,
    ),
    "better and worse": report(
        PASSED,
        UNSURE,
        BETTER,
        story={"lost": 6},
        samples=(sample_row_factory("q1"), sample_row_factory("q2", change="better")),
    ),
    "within noise": report(
        PASSED, metric_row_factory("mrr", verdict=MetricVerdict.HELD), samples=(), **CALM
    ),
    "unchanged": report(PASSED, metric_row_factory("mrr"), samples=(), unchanged=20, **CALM),
    "first run": report(OPEN, metric_row_factory("mrr"), baseline_system=None),
    "one of many is a refusal": report(
        FAILED, MRR, story={"refused": 1, "lost": 1, "worse": 20, "told": 20}
    ),
    "nothing left to check beside a metric that fell": report(FAILED, SILENT, MRR),
    "warning only, on every question": report(
        PASSED, metric_row_factory("mrr", n=20), SLOW.amended(worse=20)
    ),
    "more than is allowed, not proven": report(
        PASSED, DEARER, SLOWER.amended(aggregate=True), **CALM
    ),
    "more than is allowed, beside a drop that cannot show": report(
        PASSED, UNSURE.amended(candidate=0.9, change=0.0), DEARER, **CALM
    ),
    "worse where lower is better": report(
        FAILED, SLOWER.amended(verdict=MetricVerdict.REGRESSED, blocks=True, worse=9, better=1)
    ),
    "a large fall that may be chance": report(PASSED, UNSURE.amended(is_large_fall=True)),
    "worse on these questions alone": report(
        PASSED, UNSURE.amended(verdict=MetricVerdict.WORSE_HERE, interval=(-0.04, -0.01))
    ),
    "a fall that its interval does not show": report(
        PASSED, UNSURE.amended(interval=(-0.06, 0.01)), **CALM
    ),
    "a reason without a metric": report(
        OPEN, metric_row_factory("mrr"), reasons=("the cap was met", "another")
    ),
    "must-pass, and one that failed before as well": report(
        FAILED, must_pass=(MUST.amended(sample_id="as-ever", eligible=False), MUST)
    ),
    "new and edited questions": report(
        PASSED,
        metric_row_factory("mrr", verdict=MetricVerdict.UNCHANGED),
        samples=(),
        data=DataChanges(matched=10, added=tuple(map(str, range(30))), edited=("q7", "q8")),
        facts=RunFacts(samples=40),
        **CALM,
    ),
    "base without a gate": report(Verdict.BOOTSTRAP, metric_row_factory("mrr")),
}


def test_the_first_sentence_of_every_kind_reads_as_its_golden_file() -> None:
    lines = [
        f"{kind}\n  {status_of(each).value}: {''.join(headline(each))}\n"
        f"  Next: {''.join(next_words(each)) or '-'}\n"
        for kind, each in KINDS.items()
    ]
    matches_golden("first_sentences.txt", "\n".join(lines))
