"""Every metric under the rule for its kind, its floors, and what was accepted of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.accepted_drops import excuse
from ragate.core.decision.drift_control import decide_against_control
from ragate.core.quoting_phrases import OVER_THE_RUN
from ragate.core.rules.exact import decide_exact
from ragate.core.rules.expense import decide_expense
from ragate.core.rules.floors import decide_floors
from ragate.core.rules.latency import decide_latency
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row, left_open
from ragate.core.rules.noisy.decide_noisy import FamilyResult, decide_noisy
from ragate.core.rules.pass_shares import pass_share
from ragate.core.rules.unscored import hold_back_lost
from ragate.core.rules.unsteady import decide_both_parts, decide_no_longer_repeating, varying_part
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.models import Acceptance, DecisionSettings, MetricRow, MetricVerdict, Run

SHOWN_DRAWS = 1_999


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
