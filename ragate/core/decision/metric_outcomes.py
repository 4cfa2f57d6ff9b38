"""Every metric, of the whole set and of its slices, under the rule for its kind.

With its floors, and with what a maintainer accepted: shown in full, and not blocking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.drift_control import decide_against_control
from ragate.core.publishable import OVER_THE_RUN
from ragate.core.rules.decide_noisy import FamilyResult, decide_noisy
from ragate.core.rules.exact import decide_exact
from ragate.core.rules.expense import decide_expense
from ragate.core.rules.floors import decide_floors
from ragate.core.rules.latency import decide_latency
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row, left_open
from ragate.core.rules.pass_shares import pass_share
from ragate.core.rules.slice_cases import SliceCase
from ragate.core.rules.unscored import hold_back_lost
from ragate.core.rules.unsteady import decide_both_parts, decide_no_longer_repeating, varying_part
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.core.text.wording import count
from ragate.models import Acceptance, DecisionSettings, MetricRow, MetricVerdict, Run, SliceRow

SHOWN_DRAWS = 1_999


def by_metric(accepted: Sequence[Acceptance]) -> dict[str, Acceptance]:
    """Return the acceptances by metric; of two for the same metric the later one counts."""
    return {acceptance.metric: acceptance for acceptance in accepted}


def excuse(
    row: MetricRow, outcomes: Sequence[RuleOutcome], taken: Acceptance | None
) -> tuple[MetricRow, list[RuleOutcome]]:
    """Return a metric's row and outcomes with what is red in them turned into warnings.

    Only what was measured and is red can be accepted: a metric that could not be decided stays
    without a decision.
    """
    if taken is None or not row.blocks:
        return row, list(outcomes)
    shown = row.amended(blocks=False, accepted=True)
    return shown, [_as_warning(outcome, taken) for outcome in outcomes]


def _as_warning(outcome: RuleOutcome, taken: Acceptance) -> RuleOutcome:
    reasons = tuple(f"accepted by {taken.by} ({taken.reason}): {reason}" for reason in outcome.red)
    return replace(outcome, red=(), warnings=(*outcome.warnings, *reasons))


@dataclass(frozen=True)
class MetricOutcomes:
    """What the rules say of every metric.

    Attributes:
        outcomes: By metric, floors left aside.
        family: The noisy metrics that gate, tested together.
        floors: What minimum and maximum say, one for each metric.
    """

    outcomes: dict[str, RuleOutcome]
    family: FamilyResult
    floors: tuple[RuleOutcome, ...] = ()
    warnings: tuple[str, ...] = ()


def decide_metrics(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    control: Run | None,
) -> MetricOutcomes:
    """Decide on every metric by the rule for its kind.

    Args:
        control: The base version run today: a suspicious family is tested against it anew.
    """
    if comparison.baseline_run is None:
        shown = {case.name: decide_without_baseline(case) for case in cases}
        return MetricOutcomes(shown, FamilyResult({}))
    outcomes, family = _by_kind(cases, comparison, settings, control)
    warnings: tuple[str, ...] = ()
    if control is not None and family.tested and family.p <= SUSPICIOUS:
        family, warnings = decide_against_control(cases, family, comparison, settings, control)
        outcomes |= family.outcomes
    checked = {}
    for case in cases:
        outcome = decide_no_longer_repeating(case, outcomes[case.name], comparison)
        checked[case.name] = hold_back_lost(case, outcome, comparison)
    return MetricOutcomes(checked, family, warnings=warnings)


def _by_kind(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    control: Run | None,
) -> tuple[dict[str, RuleOutcome], FamilyResult]:
    outcomes: dict[str, RuleOutcome] = {}
    exact, noisy = [], []
    for case in cases:
        if case.aggregate is not None:
            outcomes[case.name] = decide_latency(
                case, comparison.candidate_run, control, decide_aggregate(case), settings
            )
        elif case.column is not None and case.info.is_expense:
            outcomes[case.name] = decide_expense(case, comparison, settings)
        elif case.column is not None and case.column.exact:
            exact.append(case)
        else:
            noisy.append(case)
    outcomes.update(decide_exact(exact, comparison, settings))
    varying = [unsteady for case in exact if (unsteady := varying_part(case)) is not None]
    tested = [case for case in (*noisy, *varying) if case.gates]
    family = decide_noisy(tested, comparison, settings)
    for case in (*noisy, *varying):
        if not case.gates:  # shown only: tested alone, and no part of the family's error
            alone = decide_noisy([case], comparison, settings, draws=SHOWN_DRAWS)
            family.outcomes.update(alone.outcomes)
    for case in varying:
        outcomes[case.name] = decide_both_parts(outcomes[case.name], family.outcomes.pop(case.name))
    outcomes.update(family.outcomes)
    noisy_only = {case.name for case in noisy if case.gates}
    family = replace(family, tested=tuple(name for name in family.tested if name in noisy_only))
    return outcomes, family


def with_floors(
    cases: Sequence[MetricCase],
    metrics: MetricOutcomes,
    comparison: Comparison,
    settings: DecisionSettings,
    taken: Mapping[str, Acceptance],
) -> tuple[MetricOutcomes, tuple[MetricRow, ...]]:
    """Hold every metric against its floor, and take out of the red what was accepted."""
    rows, outcomes, floors = [], {}, []
    for case in cases:
        moved = metrics.outcomes[case.name]
        assert moved.row is not None
        floor, beyond = decide_floors(case, comparison, settings)
        blocks = moved.row.blocks or bool(beyond.red)
        share = pass_share(case, comparison)
        row = moved.row.amended(floor=floor, blocks=blocks, pass_share=share)
        row, (moved, beyond) = excuse(row, (moved, beyond), taken.get(case.name))
        rows.append(row)
        outcomes[case.name] = moved
        floors.append(beyond)
    return replace(metrics, outcomes=outcomes, floors=tuple(floors)), tuple(rows)


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
    told = case.aggregate.reason
    reason = f"{OVER_THE_RUN}; {told}" if told else OVER_THE_RUN
    if after is None:
        reason = told or f"{case.name} was not measured"
    change = after - before if after is not None and before is not None else None
    row = blank_row(case, verdict, reason).amended(baseline=before, candidate=after, change=change)
    # Without a limit it gates nothing, so nothing is open; with one, the limit says it is.
    return RuleOutcome(row)


@dataclass(frozen=True)
class SliceOutcomes:
    """What the slices say.

    Attributes:
        rows: One a slice and metric, in the order of the policy.
        outcomes: What they and their floors mean for the gate.
        by_name, family: Of the tests alone, floors left aside.
        settings: Those that the slices were decided by.
    """

    rows: tuple[SliceRow, ...]
    outcomes: tuple[RuleOutcome, ...]
    by_name: Mapping[str, RuleOutcome]
    family: FamilyResult
    settings: DecisionSettings
    warnings: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def decide_slices(
    slice_cases: Sequence[SliceCase],
    comparison: Comparison,
    settings: DecisionSettings,
    own: DecisionSettings,
    control: Run | None,
    taken: Mapping[str, Acceptance],
) -> SliceOutcomes:
    """Decide on every slice.

    Args:
        settings: Those of the whole gate.
        own: The same with the slices' share of its alpha.
        taken: What was accepted, by the name of slice and metric.
    """
    decided = decide_metrics([each.case for each in slice_cases], comparison, own, control)
    floors = sum(each.case.gates and each.case.has_floor for each in slice_cases)
    rows, outcomes = [], []
    for each in slice_cases:
        row, meanings = _held(each, decided, comparison, settings, taken, floors=floors)
        rows.append(row)
        outcomes += meanings
    return SliceOutcomes(
        tuple(rows),
        tuple(outcomes),
        decided.outcomes,
        decided.family,
        own,
        warnings=tuple(_whole_sets(slice_cases, comparison)),
        lines=tuple(_lines(slice_cases, decided.family, own)),
    )


def _held(
    each: SliceCase,
    decided: MetricOutcomes,
    comparison: Comparison,
    settings: DecisionSettings,
    taken: Mapping[str, Acceptance],
    *,
    floors: int,
) -> tuple[SliceRow, list[RuleOutcome]]:
    """Return one row with its floor, and what both mean.

    Of many floors on small slices one is missed by luck: so the evidence has to be as strong as all
    of them together need it.
    """
    moved = decided.outcomes[each.case.name]
    assert moved.row is not None
    by_evidence = settings.amended(floor="evidence")
    error = settings.alpha / max(floors, 1)
    floor, beyond = decide_floors(each.case, comparison, by_evidence, error=error)
    row = _slice_row(each, moved).amended(
        floor=floor,
        blocks=moved.row.blocks or bool(beyond.red),
        pass_share=pass_share(each.case, comparison),
    )
    excused, meanings = excuse(row, (moved, beyond), taken.get(row.key))
    assert isinstance(excused, SliceRow)
    return excused, meanings


def _slice_row(each: SliceCase, moved: RuleOutcome) -> SliceRow:
    """Return the row with the counts of the slice alone."""
    row, column = moved.row, each.case.column
    assert row is not None
    shown = SliceRow(
        **dict(row),
        slice=each.part.name,
        conditions=each.part.conditions,
        samples=int(each.members.sum()),
        too_few=bool(each.too_few),
    )
    reason = "; ".join(filter(None, (row.reason, each.too_few)))
    shown = shown.amended(reason=reason, unscored_reasons={})
    if column is None:
        return shown
    before, after = (
        int((side.unscored.any(axis=1) & each.case.counted).sum())
        for side in (column.baseline, column.candidate)
    )
    return shown.amended(
        not_applicable=int((~column.applies & each.members).sum()),
        unscored_baseline=before,
        unscored_candidate=after,
    )


def _whole_sets(slice_cases: Sequence[SliceCase], comparison: Comparison) -> list[str]:
    """Name the slices that are no part, where the whole set was run."""
    if comparison.partial or not comparison.ids:
        return []
    names = dict.fromkeys(each.part.name for each in slice_cases if each.members.all())
    return [
        f"the slice {name} holds every sample: it says nothing that the whole set does not"
        for name in names
    ]


def _lines(
    slice_cases: Sequence[SliceCase], family: FamilyResult, settings: DecisionSettings
) -> list[str]:
    """Say how often the slices err; which drops each can see, its row says."""
    parts = {each.part.name for each in slice_cases if each.case.name in family.tested}
    if not parts:
        return []
    them = "it" if len(parts) == 1 else "them"
    share = f"at most 1 harmless change in {round(1 / settings.alpha):,} fails by {them}"
    return [f"{count(len(parts), 'slice')} tested as well: {share}"]
