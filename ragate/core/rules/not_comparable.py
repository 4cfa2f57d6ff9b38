"""Why a metric cannot be compared at all."""

from collections.abc import Sequence

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, left_open
from ragate.core.rules.slices.slice_size import too_few_measured
from ragate.core.rules.wording import count
from ragate.core.statistics.score_columns import SLACK
from ragate.core.text.listed_names import listed
from ragate.models import DecisionSettings, MetricVerdict


def usable_cases(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings
) -> tuple[list[MetricCase], dict[str, RuleOutcome]]:
    """Return the cases that can be compared, and by metric why the others cannot."""
    usable, refused = [], {}
    for case in cases:
        refusal = decide_unusable(case, comparison, settings.max_unscored)
        if refusal is None:
            usable.append(case)
        else:
            refused[case.name] = refusal
    return usable, refused


def decide_unusable(
    case: MetricCase, comparison: Comparison, max_unscored: float
) -> RuleOutcome | None:
    """Return why a metric cannot be compared at all; None where it can."""
    if comparison.all_failed:
        return left_open(case, MetricVerdict.NOT_MEASURED, "every sample failed")
    if comparison.not_measured:
        reason = f"no affected sample could be measured: {comparison.not_measured}"
        return left_open(case, MetricVerdict.NOT_MEASURED, reason)
    if case.column is None:
        reason = f"{case.name} was not measured"
        return left_open(case, MetricVerdict.NOT_MEASURED, reason)
    if case.column.problem:
        measured = case.measured in comparison.candidate_run.manifest.metrics
        verdict = MetricVerdict.NOT_COMPARABLE if measured else MetricVerdict.NOT_MEASURED
        problem, remedy = case.column.problem, case.column.remedy
        return left_open(case, verdict, problem, remedy=remedy)
    if not comparison.enough:
        matched, selected = comparison.data.matched, comparison.data.selected
        reason = f"only {matched} of the baseline's {count(selected, 'sample')} are still the same"
        remedy = "ragate baseline update"
        return left_open(case, MetricVerdict.NOT_COMPARABLE, reason, remedy=remedy)
    if case.whole:
        reason, remedy = too_few_measured(case, comparison)
        if reason:
            return left_open(case, MetricVerdict.NOT_MEASURED, reason, remedy=remedy)
    return _too_little(case, max_unscored)


def _too_little(case: MetricCase, max_unscored: float) -> RuleOutcome | None:
    assert case.column is not None
    if not case.counted.any():
        reason = f"{case.name} applies to no sample"
        return left_open(case, MetricVerdict.NOT_MEASURED, reason)
    for name, side in (("baseline", case.column.baseline), ("candidate", case.column.candidate)):
        missing = side.unscored[case.counted]
        share = float(missing.mean()) if missing.size else 1.0
        # On a slice two samples are many; what they could hide is held against the worst case.
        if case.slice and share < 1:
            continue
        if not share <= max_unscored + SLACK:
            why = listed([f"{reason} ({n})" for reason, n in side.reasons.items()], most=2)
            reason = (
                f"{case.name}: {share:.1%} of the {name}'s scores are missing; "
                f"{max_unscored:.1%} is allowed" + (f": {why}" if why else "")
            )
            return left_open(case, MetricVerdict.NOT_MEASURED, reason)
    return None
