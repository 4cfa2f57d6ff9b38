"""The verdict: every rule evaluated on finite numbers, or a reason why there is none."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.false_alarms import other_alarms
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
from ragate.core.statistics.looks import SUSPICIOUS_SLICES, fast_level
from ragate.core.text.wording import listed
from ragate.models import (
    Acceptance,
    Decision,
    DecisionSettings,
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
    clear = next((look for look in looks if look.is_clear), None)
    if not missing or clear is None:
        return missing if any(look.is_suspicious for look in looks) else 0, ()
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
    taken = by_metric(accepted)
    own = on_all(settings) if is_split(slice_cases) else settings
    metrics = decide_metrics(cases, comparison, own)
    of_parts = decide_metrics(parts, comparison, on_slices(settings, cases))
    floors, of_slices = (floors_of(each, settings) for each in (cases, parts))
    rows, outcomes = with_floors(list(map(metrics.row, cases)), metrics, floors, taken)
    shown_parts = [slice_row(each, of_parts.row(each.case)) for each in slice_cases]
    part_rows, part_outcomes = with_floors(shown_parts, of_parts, of_slices, taken)
    must_pass = decide_must_pass(cases, comparison, waivers, today, record)
    outcomes += [*part_outcomes, *must_pass.outcomes]
    ungated = _nothing_gated(cases, slice_cases, comparison)
    decision = _sum_up(outcomes, ungated, comparison).amended(
        metrics=tuple(with_nothing_checked(rows, comparison.columns)),
        slices=tuple(part_rows),
        must_pass=must_pass.rows,
        waivers=tuple(map(waiver_row, active((*comparison.waivers, *waivers), today).values())),
        accepted=tuple(
            dict.fromkeys(taken[row.key] for row in (*rows, *part_rows) if row.accepted)
        ),
        wants_tries=must_pass.missing_tries,
        wants_again=tuple(_joined(outcome.again for outcome in outcomes)),
        alpha=settings.alpha,
    )
    passes = _passes_of_looks(comparison, settings)
    others = other_alarms(must_pass, [*floors, *of_slices], comparison, settings, passes=passes)
    looks = (metrics, replace(of_parts, suspicious=SUSPICIOUS_SLICES))
    return _with_evidence(decision, cases, slice_cases, looks, comparison, others)


def _passes_of_looks(comparison: Comparison, settings: DecisionSettings) -> tuple[int, int]:
    """Return the passes of the first look, and those that may follow."""
    confirm = stages_of(comparison, settings).confirm
    return 1 if confirm else comparison.candidate.repeats, confirm


def _with_evidence(
    decision: Decision,
    cases: Sequence[MetricCase],
    slice_cases: Sequence[SliceCase],
    looks: tuple[MetricOutcomes, MetricOutcomes],
    comparison: Comparison,
    others: str,
) -> Decision:
    """Add what the verdict rests on, and what would make it final."""
    (metrics, of_parts), runs = looks, comparison.candidate.repeats
    family, settings = metrics.family, metrics.settings
    wants, clear = runs_wanted(looks, comparison)
    red = decision.verdict is Verdict.FAILED
    warnings = general_warnings(cases, comparison, family, settings, wants_runs=wants, red=red)
    lines = decision_lines(
        decision.metrics, family, comparison, settings.alpha, decision.verdict, others
    )
    if comparison.baseline_run is None:
        lines = (*lines, *first_sight(cases, settings))
    # Where most repeat these are few; elsewhere all are tested as noisy.
    unrepeated = unrepeated_note(comparison, comparison.repetition.exact)
    whole = whole_sets(slice_cases, comparison)
    return decision.amended(
        warnings=(*decision.warnings, *whole, *warnings),
        remedies=(*decision.remedies, *_settle(decision)),
        family=family.tested,
        runs_baseline=comparison.baseline.repeats,
        runs_candidate=runs,
        wants_runs=wants,
        confirmed=runs > 1 and bool(family.tested or of_parts.family.tested),
        lines=(*lines, *filter(None, [unrepeated]), *about_slices(slice_cases, of_parts), *clear),
    )


def _settle(decision: Decision) -> tuple[str, ...]:
    """Return the command that tells what would settle a pass that could not tell."""
    blind = any(
        row.gates and row.verdict is MetricVerdict.CANNOT_TELL and not row.exact
        for row in decision.metrics
    )
    return ("ragate power",) if blind and decision.verdict is Verdict.PASSED else ()


def _nothing_gated(
    cases: Sequence[MetricCase],
    slice_cases: Sequence[SliceCase],
    comparison: Comparison,
) -> list[str]:
    if comparison.baseline_run is None:
        return ["there is no baseline to compare with"]

    def holds(case: MetricCase) -> bool:
        """Whether the rule can fail: a value that is not compared with another only by a limit."""
        risen = case.column is not None and case.column.risen
        return case.has_floor or (case.aggregate is None and not risen)

    if is_split(slice_cases) or any(case.gates and holds(case) for case in cases):
        return []
    reason = "no metric is gated: no rule has level error and something to hold it against"
    few = [each.case.name for each in slice_cases if each.too_few]
    return [f"{reason}, and too few samples count on {listed(few)}" if few else reason]


def _sum_up(
    outcomes: Sequence[RuleOutcome], ungated: Sequence[str], comparison: Comparison
) -> Decision:
    """Red before undecided before passed; a red one lists what was not decided as well."""
    failed = failed_outputs(comparison)
    undecided = [*filter(None, [failed]), *_joined(o.undecided for o in outcomes), *ungated]
    if comparison.all_failed:
        undecided = [failed]
    red = _joined(outcome.red for outcome in outcomes)
    remedies = _joined(outcome.remedies for outcome in outcomes)
    if any("no baseline" in reason for reason in undecided):
        remedies = [*remedies, "ragate baseline update"]
    open_or_passed = Verdict.NO_DECISION if undecided else Verdict.PASSED
    verdict = Verdict.FAILED if red else open_or_passed
    return Decision(
        verdict=verdict,
        reasons=tuple(dict.fromkeys([*filter(None, [failed]), *red, *undecided])),
        failed=failed,
        warnings=tuple(_joined(outcome.warnings for outcome in outcomes)),
        remedies=tuple(dict.fromkeys(remedies)),
    )


def _joined(sentences: Iterable[tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(sentences)))
