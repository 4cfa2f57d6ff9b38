"""The lines under a verdict: what the set can see, how often it errs, what the other claim says."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.repeating_notes import copies_note, repeating_notes, repeats_hint
from ragate.core.rules.checked_columns import nothing_checked
from ragate.core.rules.checked_metric import without_counts
from ragate.core.rules.decide_noisy import FamilyResult, deciding_claim
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.metric_family import GENERALISE
from ragate.core.rules.unscored import lost_scores
from ragate.core.rules.visible_drop import (
    design_of,
    noise_of,
    sight_sentence,
    sights_of,
    sizes,
    visible_drop,
)
from ragate.core.statistics.joint_noise import independent_noise
from ragate.core.statistics.metric_noise import measure_noise
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.core.text.wording import count, listed, odds, points
from ragate.models import Decision, DecisionSettings, MetricRow, MetricVerdict, Verdict

NO_EVIDENCE = "no evidence of regression"
FEW_CLUSTERS = 8
MUST_GET_WORSE = "must get worse before"
FEW = 30


def decision_lines(
    rows: Sequence[MetricRow],
    family: FamilyResult,
    comparison: Comparison,
    settings: DecisionSettings,
    verdict: Verdict,
    others: str = "",
) -> tuple[str, ...]:
    """Return one sentence each on the minimum detectable effect, the error and the other claim.

    Args:
        others: What fails a harmless change beside the metrics.
    """
    tested = [row for row in rows if row.metric in family.tested and row.p is not None]
    gated = [row for row in rows if row.gates and not row.aggregate]
    exact = [row for row in gated if row.exact and row.change is not None]
    certain = [row.metric for row in exact if row.is_certain]
    if not tested:
        all_exact = gated and len(certain) == len(gated)
        seen = ["no gated metric is noisy: every change is seen"] if all_exact else []
        return tuple(filter(None, [*seen, others]))
    visible = _visible(tested, comparison, family, verdict)
    if certain:
        visible = f"{visible}; of {listed(certain)} every change is seen"
    return (
        visible,
        "; ".join(filter(None, [_family_error(len(tested), settings.alpha), others])),
        _other_claim(tested, deciding_claim(settings, comparison)),
    )


def _visible(
    rows: Sequence[MetricRow], comparison: Comparison, family: FamilyResult, verdict: Verdict
) -> str:
    drops = {row.metric: _points_of(row, comparison) for row in without_counts(rows)}
    visible = {metric: drop for metric, drop in drops.items() if drop is not None}
    blind = [metric for metric in drops if metric not in visible]
    none = f"too few samples to prove any drop of {listed(blind)}" if blind else ""
    if not visible:
        return none
    size = sizes(visible)
    held = any(row.verdict is MetricVerdict.HELD for row in rows)
    runs = count(max(len(comparison.baseline.distinct), 1), "baseline run")
    units = count(family.units, unit_noun(comparison))
    if verdict is Verdict.PASSED and not held:
        seen = f"{NO_EVIDENCE}; a drop below {size} may go unnoticed with {units} and {runs}"
    else:
        seen = f"{units} and {runs} show drops of {size} or more in a change like this"
    return f"{seen}; {none}" if none else seen


def _points_of(row: MetricRow, comparison: Comparison) -> float | None:
    if row.mde is None:
        return None
    return row.mde if row.rated else row.mde / comparison.columns[row.metric].span


def _family_error(metrics: int, alpha: float) -> str:
    tested = "1 metric is tested" if metrics == 1 else f"{metrics} metrics are tested together"
    return f"{tested}: at most 1 harmless change in {round(1 / alpha):,} fails by chance"


def _other_claim(rows: Sequence[MetricRow], claim: str) -> str:
    lowest = min(rows, key=lambda row: 1.0 if row.p_other is None else row.p_other)
    p = 1.0 if lowest.p_other is None else lowest.p_other
    fell = p <= 0.05
    seen = f"{lowest.metric} looks worse on" if fell else "no sign of a drop on"
    chance = f" (by chance {odds(p)})" if fell else ""
    tested, other = ("similar", "these very") if claim == GENERALISE else ("these very", "similar")
    return f"tested is whether {tested} questions would get worse; {seen} {other} ones{chance}"


def general_warnings(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    family: FamilyResult,
    settings: DecisionSettings,
    *,
    wants_runs: int,
    red: bool,
) -> tuple[str, ...]:
    """Return what a reader should know although it does not decide.

    Args:
        red: The gate has failed: how hardly it can is no news then.
    """
    warnings = []
    if comparison.partial:
        warnings.append("only a part of the golden set was run: nothing is known of the rest")
    hint = repeats_hint(cases, comparison)
    warnings += [*repeating_notes(comparison), *hint]
    for name, passes in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        said = hint and name == "baseline"
        if passes.identical > 0 and family.tested and not said:
            warnings.append(copies_note(passes, name))
    if wants_runs:
        runs = count(wants_runs, "more run")
        warnings.append(f"not final yet: {runs} over all samples would confirm or clear it")
    warnings.extend(_about_clusters(comparison, family))
    if not red:
        warnings.extend(about_size(cases, comparison, family))
    warnings.extend(about_lost(cases, comparison))
    warnings.extend(about_runs(cases, comparison, family, settings))
    warnings.extend(nothing_checked([case.rule for case in cases], comparison.columns))
    warnings.extend(
        f"{case.name} has no limit such as `maximum`: it is shown and cannot fail the gate"
        for case in cases
        if case.gates and case.aggregate and case.rule.max_increase is None and not case.has_floor
    )
    return tuple(warnings)


def _about_clusters(comparison: Comparison, family: FamilyResult) -> list[str]:
    if not comparison.cluster or not family.tested:
        return []
    if comparison.clusters is None:
        return [f"no sample has a {comparison.cluster!r}: each sample counts for itself"]
    clusters = count(family.units, "cluster")
    hardly = ", so few that the gate can hardly fail" if family.units < FEW_CLUSTERS else ""
    return [f"samples of one {comparison.cluster!r} count together: {clusters}{hardly}"]


def turned_red(decision: Decision, reasons: Sequence[str]) -> Decision:
    """Return a pass as red; what was said of one that could not tell is no longer true."""
    return decision.amended(
        verdict=Verdict.FAILED,
        reasons=tuple(reasons),
        lines=tuple(line for line in decision.lines if NO_EVIDENCE not in line),
        warnings=tuple(said for said in decision.warnings if MUST_GET_WORSE not in said),
        remedies=(),
    )


def unit_noun(comparison: Comparison) -> str:
    """Return what is tested, in the singular."""
    return "sample" if comparison.clusters is None else "cluster"


def about_size(
    cases: Sequence[MetricCase], comparison: Comparison, family: FamilyResult
) -> list[str]:
    """Say how many samples of a small set must get worse before anything of it can be red."""
    if not family.tested or family.units > FEW:
        return []
    alone, together = family.losses
    together = min(together, max(alone, family.units))
    more = "" if alone == together else f" (for some metrics {together})"
    gated = {case.name for case in cases if case.gates and case.aggregate is None}
    whose = "this gate" if gated <= {*family.tested} else listed(family.tested)
    units = count(family.units, unit_noun(comparison))
    return [f"of {units} at least {alone}{more} {MUST_GET_WORSE} {whose} can fail"]


def about_lost(cases: Sequence[MetricCase], comparison: Comparison) -> list[str]:
    """Say what could hide among the samples that the candidate has no score of."""
    notes = []
    for case in cases:
        if not case.gates or case.column is None or case.column.problem:
            continue
        lost = lost_scores(case, comparison)
        if lost.count and not lost.is_unusual and not case.info.is_expense:
            unscored = f"{lost.count} of {count(lost.of, 'sample')} could not be scored"
            hidden = f"a drop of {points(up_to_a_thousandth(lost.hides))} could hide there"
            notes.append(f"{case.name}: {unscored}; {hidden}")
    return notes


def first_sight(cases: Sequence[MetricCase], settings: DecisionSettings) -> list[str]:
    """Say what a gate without a baseline will see once it has one, by this run's own scores."""
    tested = [each for each in cases if each.gates and each.column and not each.info.is_expense]
    gate = Design(settings.alpha, independent_noise(len(tested)), settings.runs)
    drops, measured = {}, True
    for case in tested:
        scores = case.scores.scaled(case.everything())
        noise, units = measure_noise(scores), int(np.isfinite(scores).any(axis=1).sum())
        sight = sights_of(settings, case.rule, case.scores.span, units, noise, gate)[0]
        drops[case.name] = sight.drop, sight.reworded
        measured &= noise.measured
    if not drops:
        return []
    sentence = sight_sentence(drops, measured=measured)
    return [f"with a baseline of {count(settings.runs, 'run')} {sentence}"]


def about_runs(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    family: FamilyResult,
    settings: DecisionSettings,
) -> list[str]:
    """Say what three baseline runs would see where there is one."""
    baseline = comparison.baseline
    if not family.tested or len(baseline.distinct) != 1 or baseline.repeats != 1:
        return []
    claim = deciding_claim(settings, comparison)
    noises = [(each, noise_of(each, comparison)) for each in cases if each.name in family.tested]
    loudest, noise = max(noises, key=lambda each: each[1].weight)
    design = design_of(loudest, comparison, settings, claim, family.joint[loudest.name])
    once, thrice = (
        visible_drop(replace(design, baseline_runs=runs), family.units, noise) for runs in (1, 3)
    )
    if once is None or thrice is None or (seen := points(once)) == (would := points(thrice)):
        return []
    known = "that of this change's runs" if noise.measured else "assumed (no promise)"
    start = f"with 1 baseline run, whose noise is {known}, a change that rewords nothing shows"
    return [f"{start} drops of about {seen} or more; with 3 runs of about {would}"]
