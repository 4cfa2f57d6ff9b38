"""The lines under a verdict: what the set can see, how often it errs, what the other claim says."""

from collections.abc import Sequence

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.repeating_notes import repeating_notes
from ragate.core.rules.allowance import allowed_drop
from ragate.core.rules.checked_columns import nothing_checked
from ragate.core.rules.checked_metric import without_counts
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import GENERALISE
from ragate.core.rules.noisy.decide_noisy import FamilyResult, deciding_claim
from ragate.core.rules.noisy.visible_drop import design_of, noise_of, visible_drop
from ragate.core.rules.wording import count, odds, points
from ragate.core.statistics.metric_noise import Noise
from ragate.core.text.listed_names import listed
from ragate.models import DecisionSettings, MetricRow, MetricVerdict, Rule, Verdict

NO_EVIDENCE = "no evidence of regression"
FEW = 30
FEW_CLUSTERS = 8


def decision_lines(
    rows: Sequence[MetricRow],
    family: FamilyResult,
    comparison: Comparison,
    settings: DecisionSettings,
    verdict: Verdict,
) -> tuple[str, ...]:
    """Return one sentence each on the minimum detectable effect, the error and the other claim."""
    tested = [row for row in rows if row.metric in family.tested and row.p is not None]
    gated = [row for row in rows if row.level == "error" and not row.aggregate]
    exact = [row for row in gated if row.exact and row.change is not None]
    if not tested:
        all_exact = gated and len(exact) == len(gated)
        return ("all gated metrics are free of noise: every change is seen",) if all_exact else ()
    visible = _visible(tested, comparison, family, verdict)
    if exact:
        names = listed([row.metric for row in without_counts(tested)])
        visible = f"metrics without noise: every change is seen; {names}: {visible}"
    return (
        visible,
        _family_error(len(tested), settings.alpha),
        _other_claim(tested, deciding_claim(settings, comparison)),
    )


def _visible(
    rows: Sequence[MetricRow], comparison: Comparison, family: FamilyResult, verdict: Verdict
) -> str:
    drops = {row.metric: _points_of(row, comparison) for row in without_counts(rows)}
    visible = [drop for drop in drops.values() if drop is not None]
    if len(visible) < len(drops):
        blind = [metric for metric, drop in drops.items() if drop is None]
        return f"this set is too small to show any drop of {listed(blind)}"
    largest = points(max(visible))
    held = any(row.verdict is MetricVerdict.HELD for row in rows)
    if verdict is Verdict.PASSED and not held:
        return f"{NO_EVIDENCE}; drops below {largest} are invisible here"
    runs = count(max(len(comparison.baseline.distinct), 1), "baseline run")
    units = count(family.units, _noun(comparison))
    return f"{units} with {runs} can see drops of {largest} or more"


def _noun(comparison: Comparison) -> str:
    return "sample" if comparison.clusters is None else "cluster"


def _points_of(row: MetricRow, comparison: Comparison) -> float | None:
    if row.mde is None:
        return None
    return row.mde if row.rated else row.mde / comparison.columns[row.metric].span


def _family_error(metrics: int, alpha: float) -> str:
    runs = f"at most 1 run of {round(1 / alpha):,}"
    if metrics == 1:
        return f"1 metric tested: a change that changes nothing is red in {runs}"
    return f"{metrics} metrics tested together: a change that changes nothing is red in {runs}"


def _other_claim(rows: Sequence[MetricRow], claim: str) -> str:
    lowest = min(rows, key=lambda row: 1.0 if row.p_other is None else row.p_other)
    p = 1.0 if lowest.p_other is None else lowest.p_other
    evidence = f"{lowest.metric}, {odds(p)}" if p <= 0.05 else "no evidence"
    if claim == GENERALISE:
        return f"decided for fresh questions; that this golden set itself got worse: {evidence}"
    return f"decided for this golden set; that fresh questions would get worse: {evidence}"


def general_warnings(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    family: FamilyResult,
    settings: DecisionSettings,
    *,
    wants_runs: int,
) -> tuple[str, ...]:
    """Return what a reader should know although it does not decide."""
    warnings = []
    if comparison.partial:
        warnings.append("partial: only the filtered samples were run")
    warnings.extend(repeating_notes(cases, comparison))
    for name, passes in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        if passes.identical > 0 and family.tested:
            warnings.append(
                f"{passes.repeats} {name} runs hold {len(passes.distinct)} different: "
                f"byte-equal runs count once"
            )
    if wants_runs:
        runs = count(wants_runs, "more run")
        warnings.append(f"not confirmed: {runs} over all samples would make this final")
    warnings.extend(_about_clusters(comparison, family))
    warnings.extend(_about_size(cases, comparison, family, settings))
    warnings.extend(nothing_checked([case.rule for case in cases], comparison.columns))
    warnings.extend(
        f"{case.name} has no minimum or maximum: it is shown and gates nothing"
        for case in cases
        if case.gates and case.aggregate is not None and _has_no_limit(case.rule)
    )
    return tuple(warnings)


def _has_no_limit(rule: Rule) -> bool:
    return rule.minimum is None and rule.maximum is None and rule.max_increase is None


def _about_clusters(comparison: Comparison, family: FamilyResult) -> list[str]:
    if not comparison.cluster or not family.tested:
        return []
    if comparison.clusters is None:
        return [f"no sample names a {comparison.cluster}: tested by sample"]
    clusters = count(family.units, "cluster")
    hardly = ": it can hardly fail" if family.units < FEW_CLUSTERS else ""
    return [f"tested by {comparison.cluster} ({clusters}){hardly}"]


def _whose(cases: Sequence[MetricCase], family: FamilyResult) -> str:
    """Return who needs the losses: the gate, or its noisy metrics where others have no noise."""
    gated = [case for case in cases if case.gates and case.aggregate is None]
    tested = [case.name for case in gated if case.name in family.tested]
    return "this gate" if len(tested) == len(gated) else listed(tested)


def _about_size(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    family: FamilyResult,
    settings: DecisionSettings,
) -> list[str]:
    if not family.tested:
        return []
    warnings = []
    alone, together = family.losses
    if family.units <= FEW:
        together = min(together, max(alone, family.units))
        losses = str(alone) if alone == together else f"{alone} to {together}"
        units = count(family.units, _noun(comparison))
        warnings.append(f"{units}: {losses} must break before {_whose(cases, family)} can fail")
    if len(comparison.baseline.distinct) == 1 and comparison.baseline.repeats == 1:
        claim = deciding_claim(settings, comparison)
        metrics = len(family.tested)
        loudest, noise = _loudest(cases, family, comparison)
        span = loudest.column.span if loudest.column is not None else 1.0
        allowed = allowed_drop(loudest.rule, settings, claim=claim, span=span)
        design = design_of(
            comparison, settings, claim=claim, metrics=metrics, allowed=allowed, confirmed=True
        )
        once, thrice = (
            visible_drop(design.with_baseline(runs), family.units, noise) for runs in (1, 3)
        )
        if once is not None and thrice is not None:
            warnings.append(
                f"baseline has 1 run: it can see {points(once)}; 3 runs: {points(thrice)}"
            )
    return warnings


def _loudest(
    cases: Sequence[MetricCase], family: FamilyResult, comparison: Comparison
) -> tuple[MetricCase, Noise]:
    measured = [
        (case, noise_of(case, comparison))
        for case in cases
        if case.name in family.tested and case.column is not None
    ]
    return max(measured, key=lambda pair: pair[1].weight)
