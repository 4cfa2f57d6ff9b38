"""The lines under a verdict: what the set can see, how often it errs, what is worse on it."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.repeating_samples import PARTS
from ragate.core.comparison.run_passes import Passes
from ragate.core.rules.checked_columns import nothing_checked
from ragate.core.rules.checked_metric import without_counts
from ragate.core.rules.decide_noisy import YELLOW, FamilyResult
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.unscored import lost_scores
from ragate.core.rules.visible_drop import (
    design_of,
    missed,
    noise_of,
    sight_of,
    sight_sentence,
    visible_drop,
)
from ragate.core.statistics.joint_noise import independent_noise
from ragate.core.statistics.metric_noise import measure_noise
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.core.text.wording import count, harmless, listed, odds, points
from ragate.models import Decision, DecisionSettings, MetricRow, MetricVerdict, Reads, Verdict

NO_EVIDENCE = "no evidence of regression"
FEW_CLUSTERS = 8
FEW_NAMED = 4
MUST_GET_WORSE = "must get worse before"
FEW = 30
_NOUN = {Reads.RETRIEVAL: "retrieval", Reads.ANSWER: "answer"}


def decision_lines(
    rows: Sequence[MetricRow],
    family: FamilyResult,
    comparison: Comparison,
    alpha: float,
    verdict: Verdict,
    others: str = "",
) -> tuple[str, ...]:
    """Return one sentence each on the minimum detectable effect, the error and this set alone.

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
        visible = f"{visible}; every drop of {listed(certain)} shows"
    errors = "; ".join(filter(None, [_family_error(tested, alpha), others]))
    return tuple(filter(None, [visible, errors, _worse_here(tested)]))


def _visible(
    rows: Sequence[MetricRow], comparison: Comparison, family: FamilyResult, verdict: Verdict
) -> str:
    drops = {row.metric: _points_of(row, comparison) for row in without_counts(rows)}
    visible = {metric: drop for metric, drop in drops.items() if drop is not None}
    blind = [metric for metric in drops if metric not in visible]
    none = f"too few samples to prove any drop of {listed(blind)}" if blind else ""
    if not visible:
        return none
    held = any(row.verdict is MetricVerdict.HELD for row in rows)
    runs = count(max(len(comparison.baseline.distinct), 1), "baseline run")
    units = count(family.units, unit_noun(comparison))
    if verdict is Verdict.PASSED and not held:
        seen = f"{NO_EVIDENCE}; with {units} and {runs} {missed(visible)}"
    else:
        seen = f"with {units} and {runs} {missed(visible)}"
    return f"{seen}; {none}" if none else seen


def _points_of(row: MetricRow, comparison: Comparison) -> float | None:
    if row.mde is None:
        return None
    return row.mde if row.rated else row.mde / comparison.columns[row.metric].span


def _family_error(rows: Sequence[MetricRow], alpha: float) -> str:
    verb = "is tested" if len(rows) == 1 else "are tested together"
    tested = f"{listed([row.key for row in rows], most=FEW_NAMED)} {verb}"
    return f"{tested}: {harmless(alpha)} fails by chance"


def _worse_here(rows: Sequence[MetricRow]) -> str:
    lowest = min(rows, key=lambda row: 1.0 if row.p_here is None else row.p_here)
    if lowest.p_here is None or lowest.p_here > YELLOW or lowest.verdict is MetricVerdict.REGRESSED:
        return ""
    return (
        "tested is whether similar questions would get worse; "
        f"{lowest.metric} looks worse on these very ones (by chance {odds(lowest.p_here)})"
    )


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
    warnings += repeating_notes(comparison)
    for name, passes in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        if passes.identical > 0 and family.tested:
            warnings.append(copies_note(passes, name))
    if wants_runs:
        runs = count(wants_runs, "more run")
        warnings.append(f"not final yet: {runs} over all samples would confirm or clear it")
    return (
        *warnings,
        *_about_clusters(comparison, family),
        *([] if red else about_size(cases, comparison, family)),
        *about_risen(cases),
        *about_lost(cases),
        *about_runs(cases, comparison, family, settings),
        *nothing_checked([case.rule for case in cases], comparison.columns),
        *(
            f"{case.name} has no limit such as `maximum`: it is shown and cannot fail the gate"
            for case in cases
            if case.gates and case.aggregate and not case.has_floor
        ),
    )


def about_risen(cases: Sequence[MetricCase]) -> list[str]:
    """Name the gated metrics that a newer ragate measures in another way than the baseline's."""
    names = [c.name for c in cases if c.gates and c.column is not None and c.column.risen]
    if not names:
        return []
    were = "is" if len(names) == 1 else "are"
    why = "this ragate measures in another way than the one that wrote the baseline"
    return [f"{listed(names)} {were} left out until main is recorded anew: {why}"]


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


def about_lost(cases: Sequence[MetricCase]) -> list[str]:
    """Say what could hide among the samples that the candidate has no score of."""
    notes = []
    for case in cases:
        if not case.gates or case.column is None or case.column.problem:
            continue
        lost = lost_scores(case)
        if lost.count and not lost.is_unusual and not case.info.is_expense:
            unscored = f"{lost.count} of {count(lost.of, 'sample')} could not be scored"
            hidden = f"a drop of {points(up_to_a_thousandth(lost.hides))} could hide there"
            notes.append(f"{case.name}: {unscored}; {hidden}")
    return notes


def first_sight(cases: Sequence[MetricCase], settings: DecisionSettings) -> list[str]:
    """Say what a gate without a baseline will see once it has one, by this run's own scores."""
    tested = [each for each in cases if each.gates and each.column and not each.info.is_expense]
    gate = Design(settings.alpha, independent_noise(len(tested)), settings.runs)
    drops: dict[str, float | None] = {}
    measured = True
    for case in tested:
        scores = case.scores.scaled(case.everything())
        noise, units = measure_noise(scores), int(np.isfinite(scores).any(axis=1).sum())
        sight = sight_of((case.rule, case.info), case.scores.span, units, noise, gate)
        drops[case.name] = sight.reworded
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
    once, thrice = dict[str, float](), dict[str, float]()
    assumed = ""
    for case in (each for each in cases if each.name in family.tested):
        noise = noise_of(case)
        design = design_of(case, settings, family.joint[case.name])
        for runs, drops in ((1, once), (3, thrice)):
            drop = visible_drop(replace(design, baseline_runs=runs), family.units, noise)
            drops |= {} if drop is None else {case.name: drop}
        assumed = assumed if noise.measured else " (how much runs differ is assumed)"
    if not once or not thrice or once == thrice:
        return []
    more = missed(thrice, about="about ")
    return [f"with 1 baseline run {missed(once, about='about ')}; with 3 {more}{assumed}"]


def repeating_notes(comparison: Comparison) -> list[str]:
    """Return one sentence on each part of which the candidate varies where the baseline did not."""
    repetition, notes = comparison.repetition, []
    told = np.zeros(len(comparison.ids), dtype=bool)  # another passage makes another answer
    for reads in sorted(repetition.exact, reverse=True):
        jitters = repetition.by_part[reads].jitters & ~told
        told |= jitters
        if jitters.any():
            ids = comparison.ids_of(jitters)
            notes.append(
                f"the {_NOUN[reads]} of {count(len(ids), 'sample')} differs from run to run, as it "
                f"did not in the baseline: {listed(ids)}; tested as noisy"
            )
    return notes


def unrepeated_note(comparison: Comparison, parts: Collection[Reads] = PARTS) -> str:
    """Name the questions whose passages, or answers alone, differ between the baseline's runs.

    Args:
        parts: What is looked at.

    Returns:
        "" where there is no other run, or all repeat.
    """
    repetition, told = comparison.repetition, []
    seen = np.zeros(len(comparison.ids), dtype=bool)  # another passage makes another answer
    for reads in PARTS if repetition.passes > 1 else ():
        varies = repetition.by_part[reads].baseline & ~seen
        seen |= varies
        if varies.any() and reads in parts:
            ids = comparison.ids_of(varies)
            told.append(f"the {_NOUN[reads]} of {len(ids)} of {len(seen)} ({listed(ids)})")
    if not told:
        return ""
    return f"did not repeat in the baseline's {repetition.passes} runs: {', '.join(told)}"


def copies_note(passes: Passes, name: str) -> str:
    """Say that runs which repeat another byte for byte are no further evidence."""
    runs, distinct = passes.repeats, len(passes.distinct)
    if distinct == 1:
        return f"all {runs} runs of the {name} are identical: they count as one"
    return f"only {distinct} of {runs} runs of the {name} differ: identical ones count once"
