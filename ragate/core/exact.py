"""Deterministic metrics: no noise, so no test; a drop is red when it exceeds its limit."""

from __future__ import annotations

import numpy as np

from ragate.core.cases import Case, Outcome, blank_row, worst_case
from ragate.core.columns import SLACK, row_means
from ragate.core.comparison import Comparison
from ragate.core.refusals import unusable
from ragate.core.wording import count, moved, number
from ragate.models import Direction, MetricRow, MetricVerdict

SMALLEST_LIMIT = 0.01


def judge_exact(case: Case, comparison: Comparison, max_unscored: float) -> Outcome:
    """Judge one deterministic metric."""
    refused = unusable(case, comparison, max_unscored)
    if refused is not None:
        return refused
    row = _compare(case)
    if row.verdict is MetricVerdict.NOT_MEASURED:
        return Outcome(row, undecided=(row.reason,) if case.gates else ())
    red = row.verdict is MetricVerdict.REGRESSED and case.gates
    row = row.model_copy(update={"blocks": red})
    if red:
        return Outcome(row, red=(row.reason,))
    filled = worst_case(case) if case.gates else None
    if filled is not None and _compare(filled).verdict is MetricVerdict.REGRESSED:
        missing = count(row.unscored_baseline + row.unscored_candidate, "unscored sample")
        reason = f"{case.name}: {missing} could hide a {number(row.limit or 0.0)} drop"
        return Outcome(row, undecided=(reason,))
    return Outcome(row)


def _compare(case: Case) -> MetricRow:
    assert case.column is not None
    column = case.column
    before, after = row_means(case.side(column.baseline)), row_means(case.side(column.candidate))
    both = np.isfinite(before) & np.isfinite(after)
    row = blank_row(case, MetricVerdict.NOT_MEASURED, f"{case.name} has no value on both sides")
    n = int(both.sum())
    if not n:
        return row
    change = after[both] - before[both]
    limit = case.rule.max_drop
    if limit is None:
        limit = max(1 / n, SMALLEST_LIMIT) * column.span
    then, now = column.unit(float(before[both].mean())), column.unit(float(after[both].mean()))
    worse, better = int((change < -SLACK).sum()), int((change > SLACK).sum())
    drop = -float(change.mean()) * column.span
    verdict = _verdict(drop, limit, changed=worse + better)
    return row.model_copy(
        update={
            "n": n,
            "baseline": then,
            "candidate": now,
            "change": now - then,
            "better": better,
            "worse": worse,
            "limit": limit,
            "allowed": limit,
            "verdict": verdict,
            "reason": _reason(case, verdict, then, now, limit),
            "mde_note": "no noise: every change is seen",
        }
    )


def _verdict(drop: float, limit: float, *, changed: int) -> MetricVerdict:
    if not drop <= limit + SLACK:
        return MetricVerdict.REGRESSED
    if not changed:
        return MetricVerdict.UNCHANGED
    return MetricVerdict.IMPROVED if drop < -SLACK else MetricVerdict.HELD


def _reason(case: Case, verdict: MetricVerdict, then: float, now: float, limit: float) -> str:
    if verdict is MetricVerdict.UNCHANGED:
        return "no sample's score changed"
    said = moved(case.info, then, now)
    if verdict is MetricVerdict.IMPROVED:
        return said
    word = "" if case.info.direction is Direction.HIGHER else "more "
    return f"{said}; {number(limit)} {word}is allowed"
