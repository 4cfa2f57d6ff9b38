"""The slices of the golden set: tested together with a share of alpha, each metric by its kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragate.core.comparison.compare import Comparison
from ragate.core.decision.accepted_drops import excuse
from ragate.core.decision.metric_outcomes import MetricOutcomes, decide_metrics
from ragate.core.rules.floors import decide_floors
from ragate.core.rules.metric_case import RuleOutcome
from ragate.core.rules.noisy.decide_noisy import FamilyResult
from ragate.core.rules.pass_shares import pass_share
from ragate.core.rules.slices.slice_cases import SliceCase
from ragate.core.rules.wording import count
from ragate.models import Acceptance, DecisionSettings, Run, SliceRow


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
