"""One noisy metric's figures and its row in the report."""

from __future__ import annotations

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.allowance import allowed_drop
from ragate.core.rules.metric_case import MetricCase, blank_row
from ragate.core.rules.metric_family import GENERALISE, THIS_SET, Table, Tested
from ragate.core.rules.noisy.metric_verdict import Figures, reason_of, verdict_of
from ragate.core.rules.noisy.visible_drop import ASSUMED, design_of, noise_of, visible_drop
from ragate.core.statistics.interval import Interval
from ragate.core.statistics.score_columns import SLACK
from ragate.models import DecisionSettings, Direction, MetricRow, MetricVerdict


def figures_of(
    case: MetricCase,
    place: int,
    table: Table,
    tested: Tested,
    interval: Interval,
    settings: DecisionSettings,
    level: float,
    claim: str,
    metrics: int,
) -> Figures:
    assert case.column is not None
    rows = table.speaks[:, place]
    change = table.differences[rows, place]
    margin = case.rule.margin / case.column.span
    proven = margin <= 0 or interval.upper(level / metrics) < -margin
    other = THIS_SET if claim == GENERALISE else GENERALISE
    allowed, allowed_other = (
        allowed_drop(case.rule, settings, claim=each, span=case.column.span)
        for each in (claim, other)
    )
    return Figures(
        change=float(change.mean()),
        units=len(table.spread(place)),
        moved=bool((abs(change) > SLACK).any()),
        p=float(tested.down[place]),
        p_up=float(tested.up[place]),
        p_other=float(tested.other[place]),
        level=level,
        lower=interval.lower(0.05),
        beyond_margin=proven,
        before=float(table.before[rows, place].mean()),
        after=float(table.after[rows, place].mean()),
        worse=int((change < -SLACK).sum()),
        better=int((change > SLACK).sum()),
        interval=interval.two_sided(),
        claim=claim,
        n=int(rows.sum()),
        allowed=allowed,
        allowed_other=allowed_other,
    )


def noisy_row(
    case: MetricCase,
    comparison: Comparison,
    settings: DecisionSettings,
    figures: Figures,
    claim: str,
    metrics: int,
) -> MetricRow:
    assert case.column is not None
    column = case.column
    mde, note = _visible(case, comparison, settings, figures, claim, metrics)
    same = comparison.affected == 0 or comparison.identical
    untouched = same and not figures.moved
    verdict = MetricVerdict.UNCHANGED if untouched else verdict_of(figures, settings)
    before, after = column.unit(figures.before), column.unit(figures.after)
    low, high = (bound * column.span for bound in figures.interval)
    if column.info.direction is Direction.LOWER:
        low, high = -high, -low
    row = blank_row(case, verdict)
    return row.model_copy(
        update={
            "n": figures.n,
            "baseline": before,
            "candidate": after,
            "change": after - before,
            "interval": None if untouched else (low, high),
            "better": figures.better,
            "worse": figures.worse,
            "p": figures.p,
            "p_other": figures.p_other,
            "claim": claim,
            "allowed": figures.allowed * column.span,
            "mde": mde,
            "mde_note": note,
            "reason": reason_of(case, verdict, figures, settings, before, after, mde),
        }
    )


def _visible(
    case: MetricCase,
    comparison: Comparison,
    settings: DecisionSettings,
    figures: Figures,
    claim: str,
    metrics: int,
) -> tuple[float | None, str]:
    """Return the minimum detectable effect in own units, and a note."""
    assert case.column is not None
    noise = noise_of(case, comparison)
    design = design_of(
        comparison,
        settings,
        claim=claim,
        metrics=metrics,
        allowed=figures.allowed,
        confirmed=case.gates,
    )
    seen = visible_drop(design, figures.units, noise)
    if seen is None:
        return None, "no drop can be shown"
    return seen * case.column.span, "" if noise.measured else ASSUMED
