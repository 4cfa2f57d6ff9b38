"""Noisy metrics: the verdict of each from the family's test, and the drop it could see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import (
    MetricCase,
    RuleOutcome,
    blank_row,
    left_open,
    settled,
    without_value,
)
from ragate.core.rules.metric_family import (
    FamilyP,
    Table,
    allowed_drop,
    build_table,
    run_tests,
    seed_of,
)
from ragate.core.rules.not_comparable import usable_cases
from ragate.core.rules.visible_drop import ASSUMED, design_of, noise_of, visible_drop
from ragate.core.statistics.interval import difference_interval
from ragate.core.statistics.joint_noise import JointNoise, joint_noise
from ragate.core.statistics.looks import SUSPICIOUS, Stages
from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.permutation import DRAWS
from ragate.core.statistics.power import Design, Moments, losses_to_fail, samples_needed
from ragate.core.statistics.score_columns import SLACK
from ragate.core.text.wording import count, moved, number, odds, points, worse_way
from ragate.models import DecisionSettings, Direction, MetricRow, MetricVerdict

YELLOW = 0.05  # how rarely luck makes these very samples look worse
WORSE_HERE = 0.02  # of the range: harmless rewording truly moves some metric of a set by less
CARE = 0.05  # a metric has held where a drop of this size is excluded
RARE = 0.02  # how rarely its samples hold none that such a drop would break


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


@dataclass(frozen=True)
class _FamilyTest:
    """One look at the noisy metrics of a family, tested together.

    Attributes:
        table: A column each metric.
        p: Of every metric.
        joint: The noise of every metric beside that of the others.
        level: What a p must reach to be proven.
        losses_alone: Fewest samples or clusters that must break before one metric alone can be red.
    """

    settings: DecisionSettings
    table: Table
    p: FamilyP
    joint: tuple[JointNoise, ...]
    level: float
    losses_alone: int

    def can_fail(self, comparison: Comparison) -> bool:
        """Return whether the matched samples, or clusters, are as many as must break for a red."""
        clusters = comparison.clusters
        units = comparison.ids if clusters is None else set(clusters.tolist())
        return len(units) >= self.losses_alone


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
    usable, outcomes = usable_cases(cases, settings)
    if not usable:
        return FamilyResult(outcomes)
    table = build_table(usable, comparison)
    if not len(table.units):
        for case in usable:
            reason = f"{case.name}: no sample has all its scores on both sides"
            outcomes[case.name] = left_open(case, MetricVerdict.NOT_MEASURED, reason)
        return FamilyResult(outcomes)

    is_gate = any(case.gates for case in usable)
    stages = stages_of(comparison, settings) if is_gate else Stages(settings.alpha)
    passes = comparison.candidate.repeats
    losses_alone = losses_to_fail(stages, passes)
    losses_together = losses_to_fail(stages, passes, metrics=len(usable))
    p = run_tests(table, seed=seed_of(comparison), draws=draws)
    joint = joint_noise(table.blocks)
    test = _FamilyTest(settings, table, p, joint, stages.level(passes), losses_alone)
    for column, case in enumerate(usable):
        outcomes[case.name] = _outcome(case, column, test)
    names = tuple(case.name for case in usable)
    return FamilyResult(
        outcomes,
        tested=names,
        p=float(p.down.min()),
        losses=(losses_alone, losses_together),
        units=int(table.units.max(initial=-1)) + 1,
        joint=dict(zip(names, joint, strict=True)),
    )


def _outcome(case: MetricCase, column: int, test: _FamilyTest) -> RuleOutcome:
    """Return one metric's row, and what it means for the gate, where enough of it was measured."""
    samples = int(test.table.speaks[:, column].sum())
    if not samples:
        return without_value(case)
    least_samples, _ = case.least
    if samples < least_samples:
        whole = f"{count(samples, 'sample')} with every score that is tested beside it"
        reason = f"{case.name}: {whole}, {least_samples} are needed"
        return left_open(case, MetricVerdict.NOT_MEASURED, reason)
    figures = _figures(case, column, test)
    return _meaning(case, _row(case, column, test, figures), figures.units, test)


def _meaning(case: MetricCase, row: MetricRow, units: int, test: _FamilyTest) -> RuleOutcome:
    """Say what one metric's row means for the gate.

    A set that is too small to be red is no gate. A metric that speaks about few samples of a set
    that is large enough cannot be red alone, and says so.
    """
    outcome = settled(case, row)
    if outcome is not None:
        return outcome
    is_worth_a_look = row.verdict is MetricVerdict.WORSE_HERE or row.is_large_fall
    warnings = (row.reason,) if is_worth_a_look else ()
    can_be_red = units >= test.losses_alone
    if can_be_red or row.verdict is MetricVerdict.UNCHANGED:
        return RuleOutcome(row, warnings=warnings)

    noun = "cluster" if test.table.clustered else "sample"
    reason = (
        f"{case.name} is scored on {count(units, noun)}: at least {test.losses_alone} must "
        "get worse before it can fail"
    )
    has_lost_scores = case.scores.candidate.unscored[case.counted].any()
    if test.can_fail(case.comparison) and not has_lost_scores:
        return RuleOutcome(row, warnings=(*warnings, reason))
    return RuleOutcome(row, undecided=(reason,), warnings=warnings)


@dataclass(frozen=True)
class Figures:
    """What one metric's verdict rests on, on [0, 1], higher is better.

    Attributes:
        units: Independent units: samples or clusters.
        level: What p must reach to be proven.
        allowed: Smallest drop that can be red.
        shows: Smallest drop that shows in a change that rewords as much as this one; None: none.
        assumed: Whether `shows` rests on noise that nobody measured.
        excluded: Whether a drop of `CARE` is ruled out at 5 %.
        breaks: Smallest drop that shows in a change that breaks answers and rewords none. Where
            the whole set shows none, or the loss of all of it alone: `allowed`. None where the
            metric gates nothing, did not fall suspiciously, or its slice shows no drop.
        decisive: Units of which such a fall would show; None where no set is large enough.
    """

    change: float
    units: int
    p: float
    p_up: float
    p_here: float
    level: float
    interval: tuple[float, float]
    allowed: float
    shows: float | None = None
    assumed: bool = False
    excluded: bool = False
    breaks: float | None = None
    decisive: int | None = None

    @property
    def is_large_fall(self) -> bool:
        """Whether it fell by what this set is said to see, and that is hardly luck."""
        if self.breaks is None:
            return False
        return self.fell_by(self.breaks) and self.p <= SUSPICIOUS

    def fell_by(self, drop: float) -> bool:
        """Whether it fell by so much, or more."""
        return -self.change >= drop - SLACK


def _figures(case: MetricCase, column: int, test: _FamilyTest) -> Figures:
    """Return the figures of the metric in one column, of which some sample has a value.

    Which drops show is told for a change that rewords as much as this one, and for the kindest.
    """
    table = test.table
    by_unit = table.spread(column)
    changes = table.changes(column)
    change = float(changes.mean())
    noise = noise_of(case)
    baseline_runs, candidate_runs = table.runs
    seen = noise.as_seen(changes, baseline_runs=baseline_runs, candidate_runs=candidate_runs)
    moments = Moments(seen, baseline_runs, candidate_runs)
    design = design_of(case, test.settings, test.joint[column])
    figures = Figures(
        change=change,
        units=len(by_unit),
        p=float(test.p.down[column]),
        p_up=float(test.p.up[column]),
        p_here=float(test.p.here[column]),
        level=test.level,
        interval=difference_interval(by_unit),
        allowed=allowed_drop(case.rule, case.info, case.scores.span),
        shows=visible_drop(design, len(by_unit), seen),
        assumed=not noise.measured,
        excluded=moments.excludes(CARE, change, len(by_unit)),
    )
    fell_suspiciously = change < 0 and figures.p <= SUSPICIOUS
    if not case.gates or not fell_suspiciously:
        return figures
    return _with_size_of_fall(figures, case, design, noise, seen)


def _with_size_of_fall(
    figures: Figures, case: MetricCase, design: Design, noise: Noise, seen: Noise
) -> Figures:
    """Add whether a suspicious fall is as large as what the set is said to see, and what would."""
    breaks = visible_drop(design, figures.units, noise)
    shows_nothing = breaks is None or breaks >= 1.0 - SLACK
    if shows_nothing and not case.slice:
        breaks = figures.allowed  # of no drop can it say that it is luck
    figures = replace(figures, breaks=breaks)
    if not figures.is_large_fall:
        return figures
    return replace(figures, decisive=samples_needed(-figures.change, seen, design))


def verdict_of(figures: Figures, settings: DecisionSettings) -> MetricVerdict:
    """Return the verdict; red means proven, the two yellow ones mean look."""
    proven = figures.p <= figures.level
    if proven and figures.fell_by(figures.allowed):
        return MetricVerdict.REGRESSED
    fell_here = figures.fell_by(max(figures.allowed, WORSE_HERE)) and figures.p_here <= YELLOW
    if proven or fell_here:
        return MetricVerdict.WORSE_HERE
    lower_bound, _ = figures.interval
    if figures.p_up <= settings.alpha and lower_bound > 0:
        return MetricVerdict.IMPROVED
    if figures.is_large_fall:
        return MetricVerdict.CANNOT_TELL
    would_hold_a_broken_one = (1 - CARE) ** figures.units <= RARE
    if figures.excluded and would_hold_a_broken_one:
        return MetricVerdict.HELD
    return MetricVerdict.CANNOT_TELL


def _row(case: MetricCase, column: int, test: _FamilyTest, figures: Figures) -> MetricRow:
    """Return the metric's row, all figures in its own unit."""
    table, scores, comparison = test.table, case.scores, case.comparison
    changes = table.changes(column)
    better, worse = int((changes > SLACK).sum()), int((changes < -SLACK).sum())
    same_outputs = comparison.affected == 0 or comparison.identical
    untouched = same_outputs and not worse and not better
    verdict = MetricVerdict.UNCHANGED if untouched else verdict_of(figures, test.settings)
    speaks = table.speaks[:, column]
    before = scores.unit(float(table.before[speaks, column].mean()))
    after = scores.unit(float(table.after[speaks, column].mean()))
    row = blank_row(case, verdict).amended(
        n=len(changes),
        baseline=before,
        candidate=after,
        change=after - before,
        interval=None if untouched else _interval(case, figures),
        better=better,
        worse=worse,
        p=figures.p,
        p_here=figures.p_here,
        allowed=figures.allowed * scores.span,
        mde=None if figures.shows is None else figures.shows * scores.span,
        mde_note=_mde_note(figures),
        is_large_fall=verdict is MetricVerdict.CANNOT_TELL and figures.is_large_fall,
    )
    if untouched:
        return row.amended(reason="no output changed")
    why = _why(case, row, figures)
    return row.amended(reason=f"{moved(case.info, before, after)}; {why}")


def _interval(case: MetricCase, figures: Figures) -> tuple[float, float]:
    """Return the bounds of the change in the metric's own unit."""
    low, high = (bound * case.scores.span for bound in figures.interval)
    return (-high, -low) if case.info.direction is Direction.LOWER else (low, high)


def _mde_note(figures: Figures) -> str:
    if figures.shows is None:
        return "no drop can be shown"
    return ASSUMED if figures.assumed else ""


def _why(case: MetricCase, row: MetricRow, figures: Figures) -> str:
    """Say what a verdict on a metric that moved rests on."""
    bad = worse_way(case.info)
    if row.verdict is MetricVerdict.REGRESSED:
        return f"an unchanged system does this {odds(figures.p)}"
    if row.verdict is MetricVerdict.IMPROVED:
        return f"an unchanged system does this {odds(figures.p_up)}"
    if row.verdict is MetricVerdict.WORSE_HERE:
        if figures.p > figures.level:
            return "worse on these very samples; that new questions get worse is not proven"
        least = number(figures.allowed * case.scores.span)
        return f"proven, but smaller than {least}, from where on it counts"
    if row.verdict is MetricVerdict.HELD:
        return f"a {bad} of {number(CARE * case.scores.span)} or more can be ruled out"
    if figures.is_large_fall:
        return _undecided(figures, noun="cluster" if figures.units < row.n else "question")
    if figures.shows is None:
        return f"too few samples to show any {bad}"
    return f"a {bad} of {points(figures.shows)} is missed in one of five runs"


def _undecided(figures: Figures, *, noun: str) -> str:
    """Say that a fall may be real or luck, and what would tell."""
    chance = f"CANNOT TELL: an unchanged system does this {odds(figures.p)}"
    if figures.decisive is None:
        return f"{chance}, and no set of this noise would show it"
    if figures.decisive <= figures.units:
        return f"{chance}; `ragate check --runs 5` would decide it"
    return f"{chance}; about {count(figures.decisive, noun)} would show a fall of this size"
