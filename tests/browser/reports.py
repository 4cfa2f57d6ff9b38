"""Reports whose pages a browser opens."""

from __future__ import annotations

from ragate.models import (
    CauseKind,
    Direction,
    MetricRow,
    MetricVerdict,
    Report,
    RetrievedChunk,
    RunDetails,
    RunFacts,
    SampleEvidence,
    SampleRow,
    SampleScores,
    SideEvidence,
    Usage,
)
from tests.factories import metric_row_factory, sample_row_factory
from tests.unit.renderers.cases import CASES

METRICS = ("faithfulness", "correctness", "hit_rate@10")
TAGS = ("billing", "api", "accounts", "security")
QUESTIONS = (
    "Is VAT included in the price?",
    "Can I pay by invoice?",
    "How do I rotate an API key?",
    "Where is my data stored?",
)
_EVERY = 4  # sample that changed
_MOST_ROWS = 1000


def red(samples: int = 200) -> Report:
    """Return a red report of many questions with texts on both sides, every fourth one changed."""
    base = CASES["regression"]()
    rows = [_row(number) for number in range(0, samples, _EVERY)][:_MOST_ROWS]
    spent = metric_row_factory(
        "latency_p95", 1.42, 1.61, MetricVerdict.SHOWN, level="warn", unit="seconds",
        direction=Direction.LOWER, aggregate=True,
    )  # fmt: skip
    metrics = _agreeing(base, samples)
    details = RunDetails(
        METRICS,
        tuple(_scores(number) for number in range(samples)),
        {row.sample_id: _evidence(row) for row in rows[:200]},
    )
    return base.amended(
        decision=base.decision.amended(
            metrics=(*metrics, spent),
            reasons=tuple(
                f"{row.metric} fell by {abs(row.change or 0.0):.3f}"
                for row in metrics
                if row.blocks
            ),
        ),
        samples=tuple(rows),
        details=details,
        facts=RunFacts(samples=samples, affected=len(rows), model_calls=1316, cost_usd=3.05),
        unchanged=samples - len(rows),
    )


def _agreeing(base: Report, samples: int) -> list[MetricRow]:
    """Return the metrics with the counts and changes that the scores of the samples have."""
    changed = range(0, samples, _EVERY)
    worse = sum(map(_is_worse, changed))
    net = (len(changed) - 2 * worse) / samples
    rows = []
    for row in base.decision.metrics:
        size = {"faithfulness": 1.0, "correctness": 0.1}.get(row.metric)
        if size is None or row.baseline is None:
            rows.append(row)
            continue
        change = net * size
        rows.append(
            row.amended(
                candidate=row.baseline + change,
                change=change,
                interval=(change - 0.03 * size, change + 0.03 * size),
                worse=worse,
                better=len(changed) - worse,
            )
        )
    return rows


def _is_worse(number: int) -> bool:
    return number % (3 * _EVERY) != 0


def _scores(number: int) -> SampleScores:
    low, high = (0.0, 0.9, 1.0), (1.0, 1.0, 1.0)
    before, after = (high, low) if _is_worse(number) else (low, high)
    changed = number % _EVERY == 0
    sides = (before, after) if changed else (high, high)
    hashes = tuple(f"{side}{number:015x}" for side in "abc") if changed else ()
    return SampleScores(_id(number), _question(number), (TAGS[number % 4 - 1],), *sides, hashes)


def _id(number: int) -> str:
    return f"q{number:05}"


def _question(number: int) -> str:
    return f"{QUESTIONS[number // _EVERY % 4]} ({number})"


def _row(number: int) -> SampleRow:
    scores = _scores(number)
    changes = zip(METRICS, zip(scores.before, scores.after, strict=True), strict=True)
    docs = [f"{scores.tags[0]}/{name}.md" for name in ("prices", "terms", "faq")]
    return sample_row_factory(
        scores.sample_id,
        scores.query,
        change="worse" if _is_worse(number) else "better",
        expected=docs[:1],
        docs=(docs, docs[::-1]),
        answers=("Prices are net, VAT of 19 % is added. [1]", "All prices are final. [2]"),
        scores={name: pair for name, pair in changes if pair[0] != pair[1]},
        tags=scores.tags,
        references=("Prices are net; VAT is added at checkout.",),
        evidence="same 3 chunks in another order, another answer",
        cause=CauseKind.GENERATION if number % 8 else CauseKind.RETRIEVAL,
    )


def _evidence(row: SampleRow) -> SampleEvidence:
    sides = [side.docs if side is not None else () for side in (row.baseline, row.candidate)]
    before, after = (
        SideEvidence(
            tuple(
                RetrievedChunk(doc_id=doc, text=f"{doc}: prices are net, VAT of 19 % is added.")
                for doc in docs
            ),
            Usage(calls=1, prompt_tokens=800, completion_tokens=40),
            1.25,
        )
        for docs in sides
    )
    return SampleEvidence(before, after)
