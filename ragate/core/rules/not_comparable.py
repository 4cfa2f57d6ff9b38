"""Why a metric cannot be compared at all."""

from __future__ import annotations

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row
from ragate.core.rules.wording import count
from ragate.core.statistics.score_columns import SLACK
from ragate.core.text.listed_names import listed
from ragate.models import MetricVerdict


def unusable(case: MetricCase, comparison: Comparison, max_unscored: float) -> RuleOutcome | None:
    """Return why a metric cannot be compared at all; None where it can."""
    if comparison.all_failed:
        return _open(case, MetricVerdict.NOT_MEASURED, "every sample failed", gates=case.gates)
    if comparison.not_measured:
        reason = f"no affected sample could be measured: {comparison.not_measured}"
        return _open(case, MetricVerdict.NOT_MEASURED, reason, gates=case.gates)
    if case.column is None:
        reason = f"{case.name} was not measured"
        return _open(case, MetricVerdict.NOT_MEASURED, reason, gates=case.gates)
    if case.column.problem:
        measured = case.name in comparison.candidate_run.manifest.metrics
        verdict = MetricVerdict.NOT_COMPARABLE if measured else MetricVerdict.NOT_MEASURED
        problem, remedy = case.column.problem, case.column.remedy
        return _open(case, verdict, problem, gates=case.gates, remedy=remedy)
    if not comparison.enough:
        kept, of = comparison.data.matched, comparison.data.selected
        reason = f"only {kept} of the baseline's {count(of, 'sample')} are still the same"
        remedy = "ragate baseline update"
        return _open(case, MetricVerdict.NOT_COMPARABLE, reason, gates=case.gates, remedy=remedy)
    return _too_little(case, max_unscored)


def _too_little(case: MetricCase, max_unscored: float) -> RuleOutcome | None:
    assert case.column is not None
    if not case.counted.any():
        reason = f"{case.name} applies to no sample"
        return _open(case, MetricVerdict.NOT_MEASURED, reason, gates=case.gates)
    for name, side in (("baseline", case.column.baseline), ("candidate", case.column.candidate)):
        missing = side.unscored[case.counted]
        share = float(missing.mean()) if missing.size else 1.0
        if not share <= max_unscored + SLACK:
            why = listed([f"{reason} ({n})" for reason, n in side.reasons.items()], most=2)
            reason = (
                f"{case.name}: {share:.1%} of the {name}'s scores are missing; "
                f"{max_unscored:.1%} is allowed" + (f": {why}" if why else "")
            )
            return _open(case, MetricVerdict.NOT_MEASURED, reason, gates=case.gates)
    return None


def _open(
    case: MetricCase, verdict: MetricVerdict, reason: str, *, gates: bool, remedy: str = ""
) -> RuleOutcome:
    row = blank_row(case, verdict, reason)
    if not gates:
        return RuleOutcome(row)
    return RuleOutcome(row, undecided=(reason,), remedies=(remedy,) if remedy else ())
