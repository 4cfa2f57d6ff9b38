"""Metrics that are shown without a comparison: aggregates, and all of them without a baseline."""

from __future__ import annotations

from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row
from ragate.models import MetricVerdict


def shown(case: MetricCase) -> RuleOutcome:
    """Show a metric that there is nothing to compare with."""
    if case.aggregate is not None:
        return shown_aggregate(case)
    row = blank_row(case, MetricVerdict.SHOWN, "there is no baseline")
    if row.candidate is not None:
        return RuleOutcome(row)
    reason = f"{case.name} was not measured"
    row = blank_row(case, MetricVerdict.NOT_MEASURED, reason)
    return RuleOutcome(row, undecided=(reason,) if case.gates else ())


def shown_aggregate(case: MetricCase) -> RuleOutcome:
    assert case.aggregate is not None
    then, now = case.aggregate.baseline, case.aggregate.candidate
    verdict = MetricVerdict.NOT_MEASURED if now is None else MetricVerdict.SHOWN
    reason = "over the whole run: held against its limit only"
    if now is None:
        reason = case.aggregate.reason or f"{case.name} was not measured"
    change = now - then if now is not None and then is not None else None
    row = blank_row(case, verdict, reason).model_copy(
        update={"baseline": then, "candidate": now, "change": change}
    )
    # Without a limit it gates nothing, so nothing is open; with one, the limit says it is.
    return RuleOutcome(row)
