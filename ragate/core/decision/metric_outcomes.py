"""Every metric, of the whole set and of its slices, under the rule for its kind.

With its floors, and with what a maintainer accepted: shown in full, and not blocking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ragate.core.comparison.compare import Comparison
from ragate.core.publishable import OVER_THE_RUN
from ragate.core.rules.checked_metric import with_checked
from ragate.core.rules.decide_noisy import FamilyResult, decide_noisy
from ragate.core.rules.exact import decide_exact
from ragate.core.rules.expense import decide_expense
from ragate.core.rules.floors import HeldCase
from ragate.core.rules.metric_case import (
    MetricCase,
    RuleOutcome,
    blank_row,
    left_open,
    pass_share,
)
from ragate.core.rules.slice_cases import SliceCase
from ragate.core.rules.unscored import (
    at_worst,
    error_of,
    hold_back_at_worst,
    hold_back_lost,
    is_held,
)
from ragate.core.rules.unsteady import decide_both_parts, decide_no_longer_repeating, varying_part
from ragate.core.statistics.looks import SUSPICIOUS, SUSPICIOUS_SLICES, fast_level
from ragate.core.text.wording import count, harmless
from ragate.models import Acceptance, DecisionSettings, MetricRow, MetricVerdict, SliceRow

SHOWN_DRAWS = 1_999
Row = TypeVar("Row", bound=MetricRow)


def by_metric(accepted: Sequence[Acceptance]) -> dict[str, Acceptance]:
    """Return the acceptances by metric; of two for the same metric the later one counts.

    One of a metric covers how many answers it had something to check in.
    """
    return {name: each for each in accepted for name in with_checked([each.metric])}


def _as_warning(outcome: RuleOutcome, taken: Acceptance) -> RuleOutcome:
    reasons = tuple(f"accepted by {taken.by} ({taken.reason}): {reason}" for reason in outcome.red)
    return replace(outcome, red=(), warnings=(*outcome.warnings, *reasons))


@dataclass(frozen=True)
class MetricOutcomes:
    """What the rules say of every metric of the whole set, or of the slices; floors left aside.

    Attributes:
        outcomes: By metric.
        family: The noisy metrics that gate, tested together.
        settings: With the family's share of alpha.
        suspicious: The level from which on it asks for more passes.
        p_at_worst: Of the family, were what was lost at its worst; 1 where nothing was.
    """

    outcomes: dict[str, RuleOutcome]
    family: FamilyResult
    settings: DecisionSettings
    suspicious: float = SUSPICIOUS
    p_at_worst: float = 1.0

    def row(self, case: MetricCase) -> MetricRow:
        row = self.outcomes[case.name].row
        assert row is not None
        return row

    @property
    def is_suspicious(self) -> bool:
        """Whether more passes should confirm or clear what it shows."""
        return min(self.family.p, self.p_at_worst) <= self.suspicious

    @property
    def is_clear(self) -> bool:
        """Whether a metric is red at the level of the first look."""
        level = fast_level(self.settings.alpha)
        tested = (self.outcomes[name] for name in self.family.tested)
        return any(each.red and each.row and (each.row.p or 0.0) <= level for each in tested)


def decide_metrics(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
) -> MetricOutcomes:
    """Decide on every metric by the rule for its kind.

    Args:
        cases: Of the whole set, or of its slices.
    """
    if comparison.baseline_run is None:
        shown = {case.name: decide_without_baseline(case) for case in cases}
        return MetricOutcomes(shown, FamilyResult({}), settings)
    outcomes, family = _by_kind(cases, comparison, settings)
    checked, error = {}, error_of(cases)
    for case in cases:
        outcome = decide_no_longer_repeating(case, outcomes[case.name])
        checked[case.name] = hold_back_lost(case, outcome, error=error)
    p_at_worst = 1.0
    if not any(outcome.undecided for outcome in checked.values()):
        worst, p_at_worst = _at_worst(cases, comparison, settings)
        for case in cases:
            if case.name in worst:
                outcome, at_its_worst = checked[case.name], worst[case.name]
                checked[case.name] = hold_back_at_worst(case, outcome, at_its_worst)
    suspicious = SUSPICIOUS_SLICES if any(case.slice for case in cases) else SUSPICIOUS
    return MetricOutcomes(checked, family, settings, suspicious, p_at_worst)


def _at_worst(
    cases: Sequence[MetricCase], comparison: Comparison, settings: DecisionSettings
) -> tuple[dict[str, RuleOutcome], float]:
    """Decide on what gates as if the candidate's losses beyond the baseline's were its worst.

    Returns:
        Outcomes by metric, and the family's p; none and 1 where nothing was lost.
    """
    held = [case for case in cases if is_held(case) and not case.info.is_expense]
    filled = list(map(at_worst, held))
    if all(case is same for case, same in zip(filled, held, strict=True)):
        return {}, 1.0
    outcomes, family = _by_kind(filled, comparison, settings)
    return outcomes, family.p


def _by_kind(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
) -> tuple[dict[str, RuleOutcome], FamilyResult]:
    outcomes: dict[str, RuleOutcome] = {}
    exact, noisy = [], []
    for case in cases:
        if case.aggregate is not None:
            outcomes[case.name] = decide_aggregate(case)
        elif case.column is not None and case.info.is_expense:
            outcomes[case.name] = decide_expense(case, settings)
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
    rows: Sequence[Row],
    metrics: MetricOutcomes,
    floors: Sequence[HeldCase],
    taken: Mapping[str, Acceptance],
) -> tuple[list[Row], list[RuleOutcome]]:
    """Return the rows with their floors, and what both mean.

    What is red and was accepted is a warning. Only what was measured can be accepted: a metric that
    could not be decided stays without a decision.
    """
    held, outcomes, beyond = [], [], []
    for row, (case, floor, meaning) in zip(rows, floors, strict=True):
        blocks, share = row.blocks or bool(meaning.red), pass_share(case)
        row = row.amended(floor=floor, blocks=blocks, pass_share=share)
        moved = metrics.outcomes[case.name]
        if row.blocks and row.key in taken:
            row = row.amended(blocks=False, accepted=True)
            moved, meaning = (_as_warning(each, taken[row.key]) for each in (moved, meaning))
        held.append(row)
        outcomes.append(moved)
        beyond.append(meaning)
    return held, [*outcomes, *beyond]


def decide_without_baseline(case: MetricCase) -> RuleOutcome:
    """Show a metric that there is nothing to compare with."""
    if case.aggregate is not None:
        return decide_aggregate(case)
    row = blank_row(case, MetricVerdict.SHOWN, "there is no baseline")
    if row.candidate is not None:
        return RuleOutcome(row)
    reasons = row.unscored_reasons
    why = f": {max(reasons, key=reasons.__getitem__)}" if reasons else ""
    return left_open(case, MetricVerdict.NOT_MEASURED, f"{case.name} was not measured{why}")


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
    return RuleOutcome(row, warnings=_slower(case, before, after))


def _slower(case: MetricCase, before: float | None, after: float | None) -> tuple[str, ...]:
    """Warn of a latency above `max_increase`: the recording was timed on another day."""
    limit = case.rule.max_increase
    if limit is None or not before or after is None or after <= before * (1 + limit):
        return ()
    change = f"{after:g} s, {after / before - 1:+.0%} against the recording; {limit:.0%} allowed"
    return (f"{case.name}: {change}. Times of another day prove nothing, so this only warns",)


def slice_row(each: SliceCase, row: MetricRow) -> SliceRow:
    """Return the row with the counts of the slice alone."""
    shown = SliceRow(
        **dict(row),
        slice=each.part.name,
        conditions=each.part.conditions,
        samples=int(each.members.sum()),
        too_few=bool(each.too_few),
    )
    reason = "; ".join(filter(None, (row.reason, each.too_few)))
    shown = shown.amended(reason=reason, unscored_reasons={})
    column = each.case.column
    if column is None:
        return shown
    before, after = (
        int((side.unscored.any(axis=1) & each.case.counted).sum())
        for side in (column.baseline, column.candidate)
    )
    silent = ~column.applies & each.members
    return shown.amended(
        not_applicable=int(silent.sum()), unscored_baseline=before, unscored_candidate=after
    )


def whole_sets(slice_cases: Sequence[SliceCase], comparison: Comparison) -> list[str]:
    """Name the slices that are no part, where the whole set was run."""
    if comparison.partial or not comparison.ids:
        return []
    names = dict.fromkeys(each.part.name for each in slice_cases if each.members.all())
    return [
        f"the slice {name} holds every sample: it says nothing that the whole set does not"
        for name in names
    ]


def about_slices(slice_cases: Sequence[SliceCase], slices: MetricOutcomes) -> list[str]:
    """Say how often the slices err; which drops each can see, its row says."""
    names = slices.family.tested
    parts = {each.part.name for each in slice_cases if each.case.name in names}
    if not parts:
        return []
    them = "it" if len(parts) == 1 else "them"
    tested = f"{count(len(parts), 'slice')} tested as well"
    return [f"{tested}: {harmless(slices.settings.alpha)} fails by {them}"]
