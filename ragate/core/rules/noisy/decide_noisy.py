"""Noisy metrics: the verdict of each from the family's test, and the drop it could see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row, worst_case
from ragate.core.rules.metric_family import (
    GENERALISE,
    THIS_SET,
    Table,
    build_table,
    run_tests,
    seed_of,
)
from ragate.core.rules.noisy.metric_figures import figures_of, noisy_row
from ragate.core.rules.noisy.metric_verdict import Figures
from ragate.core.rules.not_comparable import unusable
from ragate.core.rules.wording import count
from ragate.core.statistics.fewest_losses import losses_to_fail
from ragate.core.statistics.interval import Interval, difference_interval
from ragate.core.statistics.looks import Stages
from ragate.core.statistics.permutation import DRAWS
from ragate.models import DecisionSettings, MetricRow, MetricVerdict


@dataclass(frozen=True)
class FamilyResult:
    """What the noisy metrics say together.

    Attributes:
        p: Smallest adjusted p of the deciding claim; 1 where nothing was tested.
        losses: Fewest samples that must break before the test can fail, alone and in the family.
    """

    outcomes: dict[str, RuleOutcome]
    tested: tuple[str, ...] = ()
    p: float = 1.0
    losses: tuple[int, int] = (0, 0)
    units: int = 0


def deciding_claim(settings: DecisionSettings, comparison: Comparison) -> str:
    """Return the claim that can be red; chosen from fingerprints, before any score is seen."""
    if settings.claim != "auto":
        return settings.claim
    return THIS_SET if comparison.same_system else GENERALISE


def stages_of(comparison: Comparison, settings: DecisionSettings) -> Stages:
    """Return how often this candidate is looked at, which is fixed before it is first run."""
    return Stages(settings.alpha, comparison.candidate_run.manifest.confirm)


def decide_noisy(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    draws: int = DRAWS,
) -> FamilyResult:
    """Judge the metrics of one family together."""
    outcomes: dict[str, RuleOutcome] = {}
    usable = []
    for case in cases:
        refused = unusable(case, comparison, settings.max_unscored)
        if refused is None:
            usable.append(case)
        else:
            outcomes[case.name] = refused
    if not usable:
        return FamilyResult(outcomes)
    gated = [case for case in usable if case.gates]
    stages = stages_of(comparison, settings) if gated else Stages(settings.alpha)
    result = _judge(usable, comparison, settings, draws, stages)
    found = dict(result.outcomes)
    if gated and not any(outcome.red for outcome in found.values()):
        found = _worst_cases(usable, found, comparison, settings, draws)
    return replace(result, outcomes={**outcomes, **found})


def _worst_cases(
    cases: Sequence[MetricCase],
    found: dict[str, RuleOutcome],
    comparison: Comparison,
    settings: DecisionSettings,
    draws: int,
) -> dict[str, RuleOutcome]:
    """Turn a pass into no decision where what is unscored could hide a regression."""
    filled = [(case, worst_case(case)) for case in cases]
    if all(worst is None for _, worst in filled):
        return found
    # One look with the whole of alpha: it may only turn a pass into no decision.
    one_look = Stages(settings.alpha)
    cases = [worst or case for case, worst in filled]
    worst = _judge(cases, comparison, settings, draws, one_look)
    result = dict(found)
    for name, outcome in worst.outcomes.items():
        if outcome.red:
            reason = f"{name}: its unscored samples could hide a regression"
            result[name] = RuleOutcome(
                found[name].row,
                undecided=(*found[name].undecided, reason),
                warnings=found[name].warnings,
            )
    return result


def _judge(
    cases: Sequence[MetricCase],
    comparison: Comparison,
    settings: DecisionSettings,
    draws: int,
    stages: Stages,
) -> FamilyResult:
    claim = deciding_claim(settings, comparison)
    table = build_table(cases, comparison)
    seed = seed_of(comparison)
    if not len(table.units):
        reason = "no sample has all its scores on both sides"
        return FamilyResult({case.name: _nothing(case, reason) for case in cases})
    tested = run_tests(table, claim=claim, seed=seed, draws=draws)
    passes = comparison.candidate.repeats
    level = stages.level(passes)
    alone, together = _losses(stages, passes, table, claim, len(cases))
    outcomes = {}
    for place, case in enumerate(cases):
        interval = _interval(table, place, seed)
        if interval is None:
            outcomes[case.name] = _nothing(case, f"{case.name} has no value on both sides")
            continue
        figures = figures_of(
            case, place, table, tested, interval, settings, level, claim, len(cases)
        )
        row = noisy_row(case, comparison, settings, figures, claim, len(cases))
        able = able_to_fail(comparison, alone)
        outcomes[case.name] = _outcome(
            case, row, figures, alone, clustered=table.clustered, able=able
        )
    p = float(tested.down.min())
    units = len({int(unit) for unit in table.units})
    return FamilyResult(outcomes, tuple(c.name for c in cases), p, (alone, together), units)


def _losses(stages: Stages, passes: int, table: Table, claim: str, metrics: int) -> tuple[int, int]:
    """Return the fewest losses that could be red: of one metric alone, and of one in the family."""
    base, cand = table.runs
    alone, together = (
        losses_to_fail(
            stages,
            passes,
            metrics=tested,
            baseline_runs=base,
            candidate_runs=cand,
            flips=claim == GENERALISE,
        )
        for tested in (1, metrics)
    )
    return alone, together


def able_to_fail(comparison: Comparison, losses: int) -> bool:
    """Tell whether the matched samples, or clusters, are as many as must break for a red."""
    groups = comparison.clusters
    units = len(comparison.ids) if groups is None else len(set(groups.tolist()))
    return units >= losses


def _nothing(case: MetricCase, reason: str) -> RuleOutcome:
    row = blank_row(case, MetricVerdict.NOT_MEASURED, reason)
    return RuleOutcome(row, undecided=(f"{case.name}: {reason}",) if case.gates else ())


def _interval(table: Table, place: int, seed: int) -> Interval | None:
    spread = table.spread(place)
    if not len(spread):
        return None
    return difference_interval(spread, seed=seed, paired_binary=bool(table.binary[place]))


def _outcome(
    case: MetricCase, row: MetricRow, figures: Figures, losses: int, *, clustered: bool, able: bool
) -> RuleOutcome:
    """Say what one metric's row means for the gate.

    A set that is too small to be red is no gate. A metric that speaks about few samples of a set
    that is large enough cannot be red alone, and says so.
    """
    if not case.gates:
        return RuleOutcome(row)
    if row.verdict is MetricVerdict.REGRESSED:
        return RuleOutcome(row.model_copy(update={"blocks": True}), red=(row.reason,))
    warnings = (row.reason,) if row.verdict is MetricVerdict.WORSE_HERE else ()
    if row.verdict is not MetricVerdict.UNCHANGED and figures.units < losses:
        noun = "cluster" if clustered else "sample"
        reason = (
            f"{case.name}: {count(figures.units, noun)}; "
            f"{losses} must break before {'it' if able else 'this gate'} can fail"
        )
        if able:
            return RuleOutcome(row, warnings=(*warnings, reason))
        return RuleOutcome(row, undecided=(reason,), warnings=warnings)
    return RuleOutcome(row, warnings=warnings)
