"""Noisy metrics: the verdict of each from the family's test, and the drop it could see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, left_open
from ragate.core.rules.metric_family import build_table, run_tests, seed_of
from ragate.core.rules.metric_figures import FamilyTest, Figures, figures_of, noisy_row
from ragate.core.rules.not_comparable import usable_cases
from ragate.core.statistics.joint_noise import JointNoise, joint_noise
from ragate.core.statistics.looks import Stages
from ragate.core.statistics.permutation import DRAWS
from ragate.core.statistics.power import losses_to_fail
from ragate.core.text.wording import count
from ragate.models import DecisionSettings, MetricRow, MetricVerdict


@dataclass(frozen=True)
class FamilyResult:
    """What the noisy metrics say together.

    Attributes:
        p: Smallest adjusted p; 1 where nothing was tested.
        losses: Fewest samples that must break before the test can fail, alone and in the family.
        joint: The noise of each tested metric beside that of the others.
    """

    outcomes: dict[str, RuleOutcome]
    tested: tuple[str, ...] = ()
    p: float = 1.0
    losses: tuple[int, int] = (0, 0)
    units: int = 0
    joint: Mapping[str, JointNoise] = field(default_factory=dict)


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
    """Decide on the metrics of one family together."""
    usable, outcomes = usable_cases(cases, comparison, settings)
    if not usable:
        return FamilyResult(outcomes)
    is_gate = any(case.gates for case in usable)
    stages = stages_of(comparison, settings) if is_gate else Stages(settings.alpha)
    table = build_table(usable, comparison)
    if not len(table.units):
        for case in usable:
            reason = f"{case.name}: no sample has all its scores on both sides"
            outcomes[case.name] = left_open(case, MetricVerdict.NOT_MEASURED, reason)
        return FamilyResult(outcomes)
    p = run_tests(table, seed=seed_of(comparison), draws=draws)
    passes = comparison.candidate.repeats
    alone, together = (
        losses_to_fail(stages, passes, metrics=metrics) for metrics in (1, len(usable))
    )
    joint = joint_noise(table.blocks)
    level = stages.level(passes)
    test = FamilyTest(comparison, settings, table, p, joint, level, alone)
    for column, case in enumerate(usable):
        outcomes[case.name] = _outcome(case, figures_of(case, column, test), test)
    names, units = tuple(case.name for case in usable), int(table.units.max(initial=-1)) + 1
    beside = dict(zip(names, joint, strict=False))
    return FamilyResult(outcomes, names, float(p.down.min()), (alone, together), units, beside)


def _outcome(case: MetricCase, figures: Figures | None, test: FamilyTest) -> RuleOutcome:
    """Return one metric's row, and what it means for the gate, where enough of it was measured."""
    if figures is None:
        return left_open(
            case, MetricVerdict.NOT_MEASURED, f"{case.name} has no value on both sides"
        )
    if figures.n < case.least[0]:
        whole = f"{count(figures.n, 'sample')} with every score that is tested beside it"
        return left_open(
            case, MetricVerdict.NOT_MEASURED, f"{case.name}: {whole}, {case.least[0]} are needed"
        )
    return _meaning(case, noisy_row(case, test, figures), figures, test)


def _meaning(case: MetricCase, row: MetricRow, figures: Figures, test: FamilyTest) -> RuleOutcome:
    """Say what one metric's row means for the gate.

    A set that is too small to be red is no gate. A metric that speaks about few samples of a set
    that is large enough cannot be red alone, and says so.
    """
    if not case.gates:
        return RuleOutcome(row)
    if row.verdict is MetricVerdict.REGRESSED:
        return RuleOutcome(row.amended(blocks=True), red=(row.reason,))
    look = row.verdict is MetricVerdict.WORSE_HERE or row.is_large_fall
    warnings = (row.reason,) if look else ()
    if row.verdict is not MetricVerdict.UNCHANGED and figures.units < test.losses:
        noun = "cluster" if test.table.clustered else "sample"
        reason = (
            f"{case.name} is scored on {count(figures.units, noun)}: at least {test.losses} must "
            "get worse before it can fail"
        )
        lost = case.scores.candidate.unscored[case.counted].any()
        if test.can_fail and not lost:
            return RuleOutcome(row, warnings=(*warnings, reason))
        return RuleOutcome(row, undecided=(reason,), warnings=warnings)
    return RuleOutcome(row, warnings=warnings)
