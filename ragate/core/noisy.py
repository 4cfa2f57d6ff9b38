"""Noisy metrics: the verdict of each from the family's test, and the drop it could see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragate.core.cases import Case, Outcome, blank_row, worst_case
from ragate.core.comparison import Comparison
from ragate.core.family import GENERALISE, THIS_SET, Table, build_table, run_tests, seed_of
from ragate.core.interval import Interval, difference_interval
from ragate.core.noisy_rows import figures_of, noisy_row
from ragate.core.permutation import DRAWS
from ragate.core.power import fewest_losses
from ragate.core.refusals import unusable
from ragate.core.verdicts import Figures
from ragate.core.wording import count
from ragate.models import DecisionSettings, MetricRow, MetricVerdict


@dataclass(frozen=True)
class FamilyResult:
    """What the noisy metrics say together.

    Attributes:
        p: Smallest adjusted p of the deciding claim; 1 where nothing was tested.
        losses: Fewest samples that must break before the test can fail, alone and in the family.
    """

    outcomes: dict[str, Outcome]
    tested: tuple[str, ...] = ()
    p: float = 1.0
    losses: tuple[int, int] = (0, 0)
    units: int = 0


def deciding_claim(settings: DecisionSettings, comparison: Comparison) -> str:
    """Return the claim that can be red; chosen from fingerprints, before any score is seen."""
    if settings.claim != "auto":
        return settings.claim
    return THIS_SET if comparison.same_system else GENERALISE


def judge_noisy(
    cases: Sequence[Case],
    comparison: Comparison,
    settings: DecisionSettings,
    *,
    draws: int = DRAWS,
) -> FamilyResult:
    """Judge the metrics of one family together."""
    outcomes: dict[str, Outcome] = {}
    usable = []
    for case in cases:
        refused = unusable(case, comparison, settings.max_unscored)
        if refused is None:
            usable.append(case)
        else:
            outcomes[case.name] = refused
    if not usable:
        return FamilyResult(outcomes)
    result = _judge(usable, comparison, settings, draws)
    found = dict(result.outcomes)
    gated = [case for case in usable if case.gates]
    if gated and not any(outcome.red for outcome in found.values()):
        found = _worst_cases(usable, found, comparison, settings, draws)
    return replace(result, outcomes={**outcomes, **found})


def _worst_cases(
    cases: Sequence[Case],
    found: dict[str, Outcome],
    comparison: Comparison,
    settings: DecisionSettings,
    draws: int,
) -> dict[str, Outcome]:
    """Turn a pass into no decision where what is unscored could hide a regression."""
    filled = [(case, worst_case(case)) for case in cases]
    if all(worst is None for _, worst in filled):
        return found
    worst = _judge([worst or case for case, worst in filled], comparison, settings, draws)
    result = dict(found)
    for name, outcome in worst.outcomes.items():
        if outcome.red:
            reason = f"{name}: its unscored samples could hide a regression"
            result[name] = Outcome(
                found[name].row,
                undecided=(*found[name].undecided, reason),
                warnings=found[name].warnings,
            )
    return result


def _judge(
    cases: Sequence[Case], comparison: Comparison, settings: DecisionSettings, draws: int
) -> FamilyResult:
    claim = deciding_claim(settings, comparison)
    table = build_table(cases, comparison)
    seed = seed_of(comparison)
    if not len(table.units):
        reason = "no sample has all its scores on both sides"
        return FamilyResult({case.name: _nothing(case, reason) for case in cases})
    tested = run_tests(table, claim=claim, seed=seed, draws=draws)
    base, cand = table.runs
    flips = claim == GENERALISE or base + cand == 2
    alone, together = (
        fewest_losses(level, baseline_runs=base, candidate_runs=cand, flips=flips)
        for level in (settings.alpha, settings.alpha / len(cases))
    )
    outcomes = {}
    for place, case in enumerate(cases):
        interval = _interval(table, place, seed)
        if interval is None:
            outcomes[case.name] = _nothing(case, f"{case.name} has no value on both sides")
            continue
        figures = figures_of(case, place, table, tested, interval, settings, claim, len(cases))
        row = noisy_row(case, comparison, settings, figures, claim, len(cases))
        outcomes[case.name] = _outcome(case, row, figures, alone, clustered=table.clustered)
    p = float(tested.down.min())
    units = len({int(unit) for unit in table.units})
    return FamilyResult(outcomes, tuple(c.name for c in cases), p, (alone, together), units)


def _nothing(case: Case, reason: str) -> Outcome:
    row = blank_row(case, MetricVerdict.NOT_MEASURED, reason)
    return Outcome(row, undecided=(f"{case.name}: {reason}",) if case.gates else ())


def _interval(table: Table, place: int, seed: int) -> Interval | None:
    spread = table.spread(place)
    if not len(spread):
        return None
    return difference_interval(spread, seed=seed, paired_binary=bool(table.binary[place]))


def _outcome(
    case: Case, row: MetricRow, figures: Figures, losses: int, *, clustered: bool
) -> Outcome:
    if not case.gates:
        return Outcome(row)
    if row.verdict is MetricVerdict.REGRESSED:
        return Outcome(row.model_copy(update={"blocks": True}), red=(row.reason,))
    warnings = (row.reason,) if row.verdict is MetricVerdict.WORSE_HERE else ()
    if row.verdict is not MetricVerdict.UNCHANGED and figures.units < losses:
        noun = "cluster" if clustered else "sample"
        reason = (
            f"{case.name}: {count(figures.units, noun)}; "
            f"{losses} must break before this gate can fail"
        )
        return Outcome(row, undecided=(reason,), warnings=warnings)
    return Outcome(row, warnings=warnings)
