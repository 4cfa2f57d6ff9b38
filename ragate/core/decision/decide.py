"""The verdict: every rule evaluated on finite numbers, or a reason why there is none."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.false_alarms import LookPasses, other_alarms
from ragate.core.decision.metric_outcomes import (
    MetricOutcomes,
    about_slices,
    by_metric,
    decide_metrics,
    slice_row,
    whole_sets,
    with_floors,
)
from ragate.core.decision.verdict_lines import (
    decision_lines,
    first_sight,
    general_warnings,
    unrepeated_note,
)
from ragate.core.rules.checked_columns import with_nothing_checked
from ragate.core.rules.decide_noisy import stages_of
from ragate.core.rules.failed_outputs import failed_outputs
from ragate.core.rules.floors import floors_of
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, read_cases
from ragate.core.rules.must_pass import Record, decide_must_pass
from ragate.core.rules.slice_cases import (
    SliceCase,
    is_split,
    on_all,
    on_slices,
    read_slice_cases,
)
from ragate.core.rules.waivers import active, waiver_row
from ragate.core.statistics.looks import fast_level
from ragate.core.text.wording import listed
from ragate.models import (
    Acceptance,
    Decision,
    DecisionSettings,
    MetricRow,
    MetricVerdict,
    Rule,
    Slice,
    Verdict,
    Waiver,
)


def runs_wanted(
    looks: Sequence[MetricOutcomes], comparison: Comparison
) -> tuple[int, tuple[str, ...]]:
    """Return the passes that are missing, 0 where the verdict is final, and why, if that is news.

    A suspicious family is confirmed, unless it is red so clearly that one look was enough, or no
    runs can follow: outputs in files, a recorded system that holds no more. There the one look had
    the whole of alpha.
    """
    stages = stages_of(comparison, looks[0].settings)
    missing = stages.still_wanted(comparison.candidate.repeats)
    if not missing:
        return 0, ()
    clear = next((look for look in looks if look.is_clear), None)
    if clear is None:
        is_suspicious = any(look.is_suspicious for look in looks)
        return (missing if is_suspicious else 0), ()
    rare = f"at most 1 run in {round(1 / fast_level(clear.settings.alpha)):,}"
    return 0, (f"too clear to need another run: an unchanged system looks like this in {rare}",)


def decide(
    rules: Sequence[Rule],
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    waivers: Sequence[Waiver] = (),
    today: datetime.date,
    accepted: Sequence[Acceptance] = (),
    slices: Sequence[Slice] = (),
    record: Record | None = None,
) -> Decision:
    """Decide on a comparison by the rules.

    Args:
        waivers: Those of today count; an expired one counts nothing, and the caller refuses it.
        today: The date that waivers are held against; this module reads no clock.
        accepted: Drops that a maintainer took for this very outcome: shown, and not blocking. The
            caller has checked who gave them, and for which commit.
        record: Of the questions that must pass, in runs of main before the baseline's.
        slices: Parts of the golden set that are held on their own, with a share of alpha.
    """
    cases = read_cases(rules, comparison, waivers, today)
    slice_cases = read_slice_cases(slices, cases, comparison)
    parts = [each.case for each in slice_cases]
    accepted_by_key = by_metric(accepted)

    whole_settings = on_all(settings) if is_split(slice_cases) else settings
    of_whole = decide_metrics(cases, comparison, whole_settings)
    floors = floors_of(cases, settings)
    rows, outcomes = with_floors(list(map(of_whole.row, cases)), of_whole, floors, accepted_by_key)

    of_slices = decide_metrics(parts, comparison, on_slices(settings, cases))
    slice_floors = floors_of(parts, settings)
    tested = [slice_row(each, of_slices.row(each.case)) for each in slice_cases]
    slice_rows, slice_outcomes = with_floors(tested, of_slices, slice_floors, accepted_by_key)

    must_pass = decide_must_pass(cases, comparison, waivers, today, record)
    outcomes += [*slice_outcomes, *must_pass.outcomes, _ungated(cases, slice_cases, comparison)]
    decision = _sum_up(outcomes, comparison).amended(
        metrics=tuple(with_nothing_checked(rows, comparison.columns)),
        slices=tuple(slice_rows),
        must_pass=must_pass.rows,
        waivers=tuple(map(waiver_row, active((*comparison.waivers, *waivers), today).values())),
        accepted=_taken([*rows, *slice_rows], accepted_by_key),
        wants_tries=must_pass.missing_tries,
        alpha=settings.alpha,
    )

    passes = _passes_of_looks(comparison, settings)
    alarms = other_alarms(must_pass, [*floors, *slice_floors], comparison, settings, passes=passes)
    return _with_evidence(decision, cases, slice_cases, (of_whole, of_slices), comparison, alarms)


def _taken(
    rows: Sequence[MetricRow], accepted_by_key: Mapping[str, Acceptance]
) -> tuple[Acceptance, ...]:
    """Return the acceptances without which a row would block, each once."""
    used = (accepted_by_key[row.key] for row in rows if row.accepted)
    return tuple(dict.fromkeys(used))


def _passes_of_looks(comparison: Comparison, settings: DecisionSettings) -> LookPasses:
    further = stages_of(comparison, settings).confirm
    return LookPasses(first=1 if further else comparison.candidate.repeats, further=further)


def _with_evidence(
    decision: Decision,
    cases: Sequence[MetricCase],
    slice_cases: Sequence[SliceCase],
    looks: tuple[MetricOutcomes, MetricOutcomes],
    comparison: Comparison,
    alarms: str,
) -> Decision:
    """Add what the verdict rests on, and what would make it final.

    Args:
        looks: At the whole set, and at its slices.
        alarms: What fails a harmless change beside the metrics.
    """
    of_whole, of_slices = looks
    family, settings = of_whole.family, of_whole.settings
    missing_runs, why_final = runs_wanted(looks, comparison)
    verdict = decision.verdict
    warnings = general_warnings(
        cases, comparison, family, settings, wants_runs=missing_runs, red=verdict is Verdict.FAILED
    )

    lines = [*decision_lines(decision.metrics, family, comparison, settings.alpha, verdict, alarms)]
    if comparison.baseline_run is None:
        lines += first_sight(cases, settings)
    # Where most repeat these are few; elsewhere all are tested as noisy.
    if unrepeated := unrepeated_note(comparison, comparison.repetition.exact):
        lines.append(unrepeated)
    lines += [*about_slices(slice_cases, of_slices), *why_final]

    runs = comparison.candidate.repeats
    is_tested = bool(family.tested or of_slices.family.tested)
    return decision.amended(
        warnings=(*decision.warnings, *whole_sets(slice_cases, comparison), *warnings),
        remedies=(*decision.remedies, *_settle(decision)),
        family=family.tested,
        runs_baseline=comparison.baseline.repeats,
        runs_candidate=runs,
        wants_runs=missing_runs,
        confirmed=runs > 1 and is_tested,
        lines=tuple(lines),
    )


def _settle(decision: Decision) -> tuple[str, ...]:
    """Return the command that tells what would settle a pass that could not tell."""
    if decision.verdict is not Verdict.PASSED:
        return ()
    could_not_tell = any(
        row.gates and row.verdict is MetricVerdict.CANNOT_TELL and not row.exact
        for row in decision.metrics
    )
    return ("ragate power",) if could_not_tell else ()


def _ungated(
    cases: Sequence[MetricCase],
    slice_cases: Sequence[SliceCase],
    comparison: Comparison,
) -> RuleOutcome:
    """Leave the gate undecided where no rule could have failed it."""
    if comparison.baseline_run is None:
        return RuleOutcome(undecided=("there is no baseline to compare with",))
    if is_split(slice_cases) or any(case.gates and _can_fail(case) for case in cases):
        return RuleOutcome()
    reason = "no metric is gated: no rule has level error and something to hold it against"
    too_small = [each.case.name for each in slice_cases if each.too_few]
    if too_small:
        reason += f", and too few samples count on {listed(too_small)}"
    return RuleOutcome(undecided=(reason,))


def _can_fail(case: MetricCase) -> bool:
    """Whether a limit, or the baseline's scores, are held against the metric."""
    if case.has_floor:
        return True
    is_of_newer_version = case.column is not None and case.column.risen
    return case.aggregate is None and not is_of_newer_version


def _sum_up(outcomes: Sequence[RuleOutcome], comparison: Comparison) -> Decision:
    """Red before undecided before passed; a red one lists what was not decided as well."""
    failed = failed_outputs(comparison)
    too_many_failed = [failed] if failed else []
    undecided = [*too_many_failed, *_each_once(outcome.undecided for outcome in outcomes)]
    if comparison.all_failed:  # said once, and not by every metric
        undecided = [failed]
    red = _each_once(outcome.red for outcome in outcomes)
    if red:
        verdict = Verdict.FAILED
    elif undecided:
        verdict = Verdict.NO_DECISION
    else:
        verdict = Verdict.PASSED

    remedies = _each_once(outcome.remedies for outcome in outcomes)
    if any("no baseline" in reason for reason in undecided):
        remedies.append("ragate baseline update")
    return Decision(
        verdict=verdict,
        reasons=tuple(dict.fromkeys([*too_many_failed, *red, *undecided])),
        failed=failed,
        warnings=tuple(_each_once(outcome.warnings for outcome in outcomes)),
        remedies=tuple(dict.fromkeys(remedies)),
        wants_again=tuple(_each_once(outcome.again for outcome in outcomes)),
    )


def _each_once(sentences: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the sentences of all outcomes in order, without those that were said before."""
    return list(dict.fromkeys(chain.from_iterable(sentences)))
