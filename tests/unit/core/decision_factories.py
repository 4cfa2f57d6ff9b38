"""Runs and comparisons for tests of the decision: scores in, everything else by default."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.decision.decide import decide
from ragate.core.hashing import content_hash
from ragate.models import (
    Decision,
    DecisionSettings,
    Failure,
    Filters,
    MetricInfo,
    MetricRow,
    Needs,
    Reads,
    Record,
    Rule,
    Run,
    RunManifest,
    Sample,
    Score,
    SystemInfo,
    SystemOutput,
    not_applicable,
    unscored,
)

TODAY = datetime.date(2026, 6, 1)
EXACT = MetricInfo(name="ndcg@10", reads=Reads.RETRIEVAL)
NOISY = MetricInfo(name="faithfulness", needs=Needs.JUDGE)
N_A = "n/a"
Cell = float | str | None  # a value, N_A, or None for unscored | Score


def samples_of(n: int, **fields: Any) -> list[Sample]:
    return [Sample(id=f"q{row:04d}", query=f"question {row}", **fields) for row in range(n)]


def run_of(
    scores: Mapping[str, Any],
    samples: Sequence[Sample],
    *,
    infos: Sequence[MetricInfo] = (NOISY, EXACT),
    words: str = "answer",
    fingerprint: str = "same",
    same_outputs: bool = False,
    deterministic: Sequence[Reads] = (Reads.RETRIEVAL,),
    requests: Mapping[str, str] | None = None,
    failures: Mapping[str, Failure] | None = None,
    filters: Filters | None = None,
    **manifest: Any,
) -> Run:
    """Return a run from `scores`: metric -> samples -> passes."""
    passes = max((len(row) for rows in scores.values() for row in rows), default=1)
    records = [
        Record(
            sample_id=sample.id,
            run=number,
            content_hash=content_hash(sample),
            retrieval_hash=f"chunks {words if not same_outputs else ''}",
            output_hash=f"{words} {'' if same_outputs else number}",
            output=SystemOutput(
                answer=words,
                request_hash=(requests or {}).get(sample.id),
                error=(failures or {}).get(sample.id),
            ),
            scores={
                metric: _score(metric, rows[row][number])
                for metric, rows in scores.items()
                if number < len(rows[row])
            },
        )
        for number in range(passes)
        for row, sample in enumerate(samples)
        if any(number < len(rows[row]) for rows in scores.values())
    ]
    known = {info.name: info for info in infos if info.name in scores}
    system = SystemInfo(
        use="replay", fingerprint=fingerprint, deterministic=frozenset(deterministic)
    )
    defaults: dict[str, Any] = {
        "system": system,
        "metrics": known,
        "runs": passes,
        "judge": "judge-1",
        "filters": filters or Filters(),
    }
    return Run(manifest=RunManifest(**(defaults | manifest)), records=tuple(records))


def _score(metric: str, cell: Cell) -> Score:
    if cell is None:
        return unscored(metric, "judge timeout")
    if isinstance(cell, Score):
        return cell
    if isinstance(cell, str):
        return not_applicable(metric, "no gold label")
    return Score(metric=metric, value=float(cell))


def columns(values: Any) -> list[list[float]]:
    """Return an array (samples, passes) as lists."""
    return [[float(cell) for cell in row] for row in np.atleast_2d(values)]


def compared(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    samples: Sequence[Sample],
    *,
    infos: Sequence[MetricInfo] = (NOISY, EXACT),
    cluster: str = "",
    **candidate: Any,
) -> Comparison:
    """Compare a run of these scores with one of those; other arguments go to the candidate."""
    return compare(
        run_of(before, samples, infos=infos, words="before"),
        run_of(after, samples, infos=infos, words="after", **candidate),
        samples,
        cluster=cluster,
    )


def noisy_pair(
    base: Any,
    cand: Any,
    samples: Sequence[Sample] | None = None,
    *,
    info: MetricInfo = NOISY,
    **options: Any,
) -> Comparison:
    """Compare arrays, or rows of cells, (samples, passes) of one noisy metric."""
    before, after = (
        columns(each) if isinstance(each, np.ndarray) else each for each in (base, cand)
    )
    samples = samples or samples_of(len(before))
    return compared({info.name: before}, {info.name: after}, samples, infos=(info,), **options)


def exact_pair(
    base: Sequence[float], cand: Sequence[float], *, info: MetricInfo = EXACT, **options: Any
) -> Comparison:
    """Compare one deterministic metric: two byte-equal baseline passes, one candidate pass."""
    samples = samples_of(len(base))
    twice = [[value, value] for value in base]
    once = [[value] for value in cand]
    both = (Reads.RETRIEVAL, Reads.ANSWER)
    baseline = run_of(
        {info.name: twice},
        samples,
        infos=(info,),
        words="before",
        same_outputs=True,
        deterministic=both,
    )
    defaults: dict[str, Any] = {"words": "after", "deterministic": both}
    candidate = run_of({info.name: once}, samples, infos=(info,), **(defaults | options))
    return compare(baseline, candidate, samples)


def judge(comparison: Comparison, *rules: Rule, **options: Any) -> Decision:
    """Decide with the given rules; settings may be given by field, `max_drop` for every rule."""
    if (allowed := options.pop("max_drop", None)) is not None:
        rules = tuple(rule.amended(max_drop=allowed) for rule in rules)
    fields = set(DecisionSettings.model_fields)
    settings = DecisionSettings(**{key: value for key, value in options.items() if key in fields})
    rest = {key: value for key, value in options.items() if key not in fields}
    return decide(rules, comparison, settings, today=TODAY, **rest)


def row_of(decision: Decision, metric: str) -> MetricRow:
    return next(row for row in decision.metrics if row.metric == metric)
