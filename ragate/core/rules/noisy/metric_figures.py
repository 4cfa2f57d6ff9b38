"""One noisy metric's figures and its row in the report."""

from dataclasses import dataclass, replace

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.allowance import allowed_drop
from ragate.core.rules.metric_case import MetricCase, blank_row
from ragate.core.rules.metric_family import GENERALISE, THIS_SET, FamilyP, Table
from ragate.core.rules.noisy.metric_verdict import Figures, reason_of, verdict_of
from ragate.core.rules.noisy.visible_drop import ASSUMED, design_of, noise_of, visible_drop
from ragate.core.statistics.drop_moments import Moments
from ragate.core.statistics.interval import difference_interval
from ragate.core.statistics.joint_noise import JointNoise
from ragate.core.statistics.looks import SUSPICIOUS
from ragate.core.statistics.power_search import samples_needed
from ragate.core.statistics.score_columns import SLACK, Floats
from ragate.models import DecisionSettings, Direction, MetricRow, MetricVerdict


@dataclass(frozen=True)
class FamilyTest:
    """One look at the noisy metrics of a family, tested together.

    Attributes:
        claim: The one that decides.
        names: The metrics, a column of `table` each.
        p: Of every metric.
        joint: The noise of every metric beside that of the others.
        level: What a p must reach to be proven.
        losses: Fewest samples or clusters that must break before one metric alone can be red.
    """

    comparison: Comparison
    settings: DecisionSettings
    claim: str
    table: Table
    names: tuple[str, ...]
    p: FamilyP
    joint: tuple[JointNoise, ...]
    level: float
    seed: int
    losses: int

    @property
    def metrics(self) -> int:
        """How many metrics are tested together."""
        return len(self.p.down)

    @property
    def can_fail(self) -> bool:
        """Whether the matched samples, or clusters, are as many as must break for a red."""
        clusters = self.comparison.clusters
        units = self.comparison.ids if clusters is None else set(clusters.tolist())
        return len(units) >= self.losses

    def allowed_drops(self, case: MetricCase) -> tuple[float, float]:
        """Return the smallest drops that count, by the deciding and by the other claim."""
        assert case.column is not None
        rule, settings, span = case.rule, self.settings, case.column.span
        other = THIS_SET if self.claim == GENERALISE else GENERALISE
        return (
            allowed_drop(rule, settings, claim=self.claim, span=span),
            allowed_drop(rule, settings, claim=other, span=span),
        )


def figures_of(case: MetricCase, column: int, test: FamilyTest) -> Figures | None:
    """Return the figures of the metric in one column, None where no sample has a value."""
    assert case.column is not None
    table, differences = test.table, test.table.spread(column)
    if not len(differences):
        return None
    binary, rows = bool(table.binary[column]), table.speaks[:, column]
    interval = difference_interval(differences, seed=test.seed, paired_binary=binary)
    change = table.differences[rows, column]
    margin = case.rule.margin / case.column.span
    allowed = test.allowed_drops(case)
    figures = Figures(
        change=float(change.mean()),
        units=len(differences),
        moved=bool((abs(change) > SLACK).any()),
        p=float(test.p.down[column]),
        p_up=float(test.p.up[column]),
        p_other=float(test.p.other[column]),
        level=test.level,
        beyond_margin=margin <= 0 or interval.upper(test.level / test.metrics) < -margin,
        before=float(table.before[rows, column].mean()),
        after=float(table.after[rows, column].mean()),
        worse=int((change < -SLACK).sum()),
        better=int((change > SLACK).sum()),
        interval=interval.two_sided(),
        claim=test.claim,
        n=int(rows.sum()),
        allowed=allowed[0],
        allowed_other=allowed[1],
    )
    return _with_sight(figures, case, change, column, test)


def _with_sight(
    figures: Figures, case: MetricCase, change: Floats, column: int, test: FamilyTest
) -> Figures:
    """Add which drops show: in a change that rewords as much as this one, and in the kindest.

    Args:
        change: (samples,) the metric's differences.
    """
    base, cand = (max(runs, 1) for runs in test.table.runs)
    noise = noise_of(case, test.comparison)
    seen = noise.as_seen(change, baseline_runs=base, candidate_runs=cand)
    moments = Moments(seen, base, cand, flips=True)
    design = design_of(
        test.comparison,
        test.settings,
        claim=test.claim,
        joint=test.joint[column],
        allowed=figures.allowed,
        confirmed=case.gates,
        on_slice=bool(case.slice),
    )
    figures = replace(
        figures,
        shows=visible_drop(design, figures.units, seen),
        assumed=not noise.measured,
        excluded=moments.excludes(test.settings.care, figures.change, figures.units),
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
    assert case.column is not None
    column, comparison = case.column, test.comparison
    same = comparison.affected == 0 or comparison.identical
    untouched = same and not figures.moved
    verdict = MetricVerdict.UNCHANGED if untouched else verdict_of(figures, test.settings)
    before, after = column.unit(figures.before), column.unit(figures.after)
    low, high = (bound * column.span for bound in figures.interval)
    if column.info.direction is Direction.LOWER:
        low, high = -high, -low
    row = blank_row(case, verdict)
    return row.amended(
        n=figures.n,
        baseline=before,
        candidate=after,
        change=after - before,
        interval=None if untouched else (low, high),
        better=figures.better,
        worse=figures.worse,
        p=figures.p,
        p_other=figures.p_other,
        claim=test.claim,
        allowed=figures.allowed * column.span,
        mde=None if figures.shows is None else figures.shows * column.span,
        mde_note=_note(figures),
        is_large_fall=verdict is MetricVerdict.CANNOT_TELL and figures.is_large_fall,
        reason=reason_of(case, verdict, figures, test.settings, before, after),
    )


def _note(figures: Figures) -> str:
    if figures.shows is None:
        return "no drop can be shown"
    return ASSUMED if figures.assumed else ""
