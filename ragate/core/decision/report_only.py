"""Metrics that are shown without a comparison: aggregates, and all of them without a baseline."""

from __future__ import annotations

from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row, left_open
from ragate.models import MetricVerdict


def decide_without_baseline(case: MetricCase) -> RuleOutcome:
    """Show a metric that there is nothing to compare with."""
    if case.aggregate is not None:
        return decide_aggregate(case)
    row = blank_row(case, MetricVerdict.SHOWN, "there is no baseline")
    if row.candidate is not None:
        return RuleOutcome(row)
    return left_open(case, MetricVerdict.NOT_MEASURED, f"{case.name} was not measured")


def decide_aggregate(case: MetricCase) -> RuleOutcome:
    """Show a rate or percentile over the whole run; only its limit is held against it."""
    assert case.aggregate is not None
    before, after = case.aggregate.baseline, case.aggregate.candidate
    verdict = MetricVerdict.NOT_MEASURED if after is None else MetricVerdict.SHOWN
    reason = "over the whole run: held against its limit only"
    if after is None:
        reason = case.aggregate.reason or f"{case.name} was not measured"
    change = after - before if after is not None and before is not None else None
    row = blank_row(case, verdict, reason).amended(baseline=before, candidate=after, change=change)
    # Without a limit it gates nothing, so nothing is open; with one, the limit says it is.
    return RuleOutcome(row)
