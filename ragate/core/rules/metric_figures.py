"""One noisy metric's figures and its row in the report."""

from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase, blank_row
from ragate.core.rules.metric_family import FamilyP, Table, allowed_drop
from ragate.core.rules.visible_drop import ASSUMED, design_of, noise_of, visible_drop
from ragate.core.statistics.drop_moments import Moments
from ragate.core.statistics.interval import difference_interval
from ragate.core.statistics.joint_noise import JointNoise
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.core.statistics.power import samples_needed
from ragate.core.statistics.score_columns import SLACK, Floats
from ragate.core.text.wording import count, moved, number, odds, points, worse_way
from ragate.models import DecisionSettings, Direction, MetricRow, MetricVerdict

YELLOW = 0.05
WORSE_HERE = 0.02  # of the range: harmless rewording truly moves some metric of a set by less
CARE = 0.05  # a metric has held where a drop of this size is excluded
RARE = 0.02


@dataclass(frozen=True)
class Figures:
    """One metric's figures on [0, 1], higher is better.

    Attributes:
        units: Independent units: samples or clusters.
        level: What p must reach to be proven.
        excluded: Whether a drop of `CARE` is ruled out at 5 %.
        allowed: Smallest drop that can be red.
        shows: Smallest drop that shows in a change that rewords as much as this one; None: none.
        assumed: Whether that rests on noise that nobody measured.
        breaks: The same where the rest stays as it is; of a set that sees none, or a total
            one alone, what is allowed. None where that is not asked.
        decisive: Units of which a drop of this size would show; None where no set is large enough.
    """

    change: float
    units: int
    p: float
    p_up: float
    p_here: float
    level: float
    before: float
    after: float
    worse: int
    better: int
    interval: tuple[float, float]
    n: int
    allowed: float
    shows: float | None = None
    assumed: bool = False
    breaks: float | None = None
    excluded: bool = False
    decisive: int | None = None

    @property
    def is_large_fall(self) -> bool:
        """Whether it fell by what this set is said to see, and that is hardly luck."""
        fell = self.breaks is not None and _reaches(self, self.breaks)
        return fell and self.p <= SUSPICIOUS


def verdict_of(figures: Figures, settings: DecisionSettings) -> MetricVerdict:
    """Return the verdict; red means proven, the two yellow ones mean look."""
    proven = figures.p <= figures.level
    if proven and _reaches(figures, figures.allowed):
        return MetricVerdict.REGRESSED
    least = max(figures.allowed, WORSE_HERE)
    if proven or (_reaches(figures, least) and figures.p_here <= YELLOW):
        return MetricVerdict.WORSE_HERE
    if figures.p_up <= settings.alpha and figures.interval[0] > 0:
        return MetricVerdict.IMPROVED
    if figures.is_large_fall:
        return MetricVerdict.CANNOT_TELL
    if figures.excluded and (1 - CARE) ** figures.units <= RARE:
        return MetricVerdict.HELD
    return MetricVerdict.CANNOT_TELL


def _reaches(figures: Figures, allowed: float) -> bool:
    return -figures.change >= allowed - SLACK


def reason_of(case: MetricCase, verdict: MetricVerdict, figures: Figures) -> str:
    """Say why, in one sentence."""
    if verdict is MetricVerdict.UNCHANGED:
        return "no output changed"
    column, bad = case.scores, worse_way(case.info)
    if verdict in (MetricVerdict.REGRESSED, MetricVerdict.IMPROVED):
        p = figures.p if verdict is MetricVerdict.REGRESSED else figures.p_up
        why = f"an unchanged system does this {odds(p)}"
    elif verdict is MetricVerdict.WORSE_HERE:
        why = _worse_here(case, figures)
    elif verdict is MetricVerdict.HELD:
        why = f"a {bad} of {number(CARE * column.span)} or more can be ruled out"
    elif figures.is_large_fall:
        why = _undecided(figures)
    elif figures.shows is None:
        why = f"too few samples to show any {bad}"
    else:
        why = f"a {bad} of {points(figures.shows)} is missed in one of five runs"
    return f"{moved(case.info, column.unit(figures.before), column.unit(figures.after))}; {why}"


def _worse_here(case: MetricCase, figures: Figures) -> str:
    if figures.p > figures.level:
        return "worse on these very samples; that new questions get worse is not proven"
    least = number(figures.allowed * case.scores.span)
    return f"proven, but smaller than {least}, from where on it counts"


def _undecided(figures: Figures) -> str:
    """Say that a fall may be real or luck, and what would tell."""
    chance = f"CANNOT TELL: an unchanged system does this {odds(figures.p)}"
    if figures.decisive is None:
        return f"{chance}, and no set of this noise would show it"
    if figures.decisive <= figures.units:
        return f"{chance}; `ragate check --runs 5` would decide it"
    noun = "cluster" if figures.units < figures.n else "question"
    return f"{chance}; about {count(figures.decisive, noun)} would show a fall of this size"


@dataclass(frozen=True)
class FamilyTest:
    """One look at the noisy metrics of a family, tested together.

    Attributes:
        table: A column each metric.
        p: Of every metric.
        joint: The noise of every metric beside that of the others.
        level: What a p must reach to be proven.
        losses: Fewest samples or clusters that must break before one metric alone can be red.
    """

    comparison: Comparison
    settings: DecisionSettings
    table: Table
    p: FamilyP
    joint: tuple[JointNoise, ...]
    level: float
    losses: int

    @property
    def can_fail(self) -> bool:
        """Whether the matched samples, or clusters, are as many as must break for a red."""
        clusters = self.comparison.clusters
        units = self.comparison.ids if clusters is None else set(clusters.tolist())
        return len(units) >= self.losses


def figures_of(case: MetricCase, column: int, test: FamilyTest) -> Figures | None:
    """Return the figures of the metric in one column, None where no sample has a value."""
    table, differences = test.table, test.table.spread(column)
    if not len(differences):
        return None
    rows = table.speaks[:, column]
    change = table.differences[rows, column]
    figures = Figures(
        change=float(change.mean()),
        units=len(differences),
        p=float(test.p.down[column]),
        p_up=float(test.p.up[column]),
        p_here=float(test.p.here[column]),
        level=test.level,
        before=float(table.before[rows, column].mean()),
        after=float(table.after[rows, column].mean()),
        worse=int((change < -SLACK).sum()),
        better=int((change > SLACK).sum()),
        interval=difference_interval(differences),
        n=int(rows.sum()),
        allowed=allowed_drop(case.rule, case.info, case.scores.span),
    )
    return _with_sight(figures, case, change, column, test)


def _with_sight(
    figures: Figures, case: MetricCase, change: Floats, column: int, test: FamilyTest
) -> Figures:
    """Add which drops show: in a change that rewords as much as this one, and in the kindest.

    Args:
        change: (samples,) the metric's differences.
    """
    (base, cand), noise = test.table.runs, noise_of(case, test.comparison)
    seen = noise.as_seen(change, baseline_runs=base, candidate_runs=cand)
    moments = Moments(seen, base, cand)
    design = design_of(case, test.comparison, test.settings, test.joint[column])
    figures = replace(
        figures,
        shows=visible_drop(design, figures.units, seen),
        assumed=not noise.measured,
        excluded=moments.excludes(CARE, figures.change, figures.units),
    )
    if not case.gates or figures.p > SUSPICIOUS or figures.change >= 0:
        return figures
    breaks = visible_drop(design, figures.units, noise)
    if not case.slice and (breaks is None or breaks >= 1.0 - SLACK):
        breaks = figures.allowed  # it sees no drop: of none can it say that it is luck
    figures = replace(figures, breaks=breaks)
    if not figures.is_large_fall:
        return figures
    return replace(figures, decisive=samples_needed(-figures.change, seen, design))


def noisy_row(case: MetricCase, test: FamilyTest, figures: Figures) -> MetricRow:
    """Return the metric's row, all figures in its own unit."""
    column, comparison = case.scores, test.comparison
    same = comparison.affected == 0 or comparison.identical
    untouched = same and not (figures.worse or figures.better)
    verdict = MetricVerdict.UNCHANGED if untouched else verdict_of(figures, test.settings)
    before, after = column.unit(figures.before), column.unit(figures.after)
    note = ASSUMED if figures.assumed else ""
    low, high = (bound * column.span for bound in figures.interval)
    if column.info.direction is Direction.LOWER:
        low, high = -high, -low
    return blank_row(case, verdict).amended(
        n=figures.n,
        baseline=before,
        candidate=after,
        change=after - before,
        interval=None if untouched else (low, high),
        better=figures.better,
        worse=figures.worse,
        p=figures.p,
        p_here=figures.p_here,
        allowed=figures.allowed * column.span,
        mde=None if figures.shows is None else figures.shows * column.span,
        mde_note="no drop can be shown" if figures.shows is None else note,
        is_large_fall=verdict is MetricVerdict.CANNOT_TELL and figures.is_large_fall,
        reason=reason_of(case, verdict, figures),
    )
