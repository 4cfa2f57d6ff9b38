"""How often noise alone would look like the verdict, as a sentence of the comment."""

from ragate.core.rules.wording import odds
from ragate.models import Direction, MetricRow, MetricVerdict, Report
from ragate.renderers._numbers import COMMENT, counted
from ragate.renderers._status import ReportSign, status_of
from ragate.renderers._words import ordered
from ragate.support.escape import name


def odds_line(report: Report) -> str:
    """Return it of a red or a yellow verdict, "" of any other and where nothing moved."""
    rows = ordered(report.decision.rows)
    status = status_of(report)
    runs = counted(report.decision.runs_candidate, "run")
    if status is ReportSign.RED:
        lost = [row for row in rows if row.blocks and row.verdict is MetricVerdict.REGRESSED]
        chances = [p for row in lost if not row.exact and (p := _chance(report, row)) is not None]
        if chances:
            times = report.decision.runs_candidate
            start = f"Measured {times:,} times. " if report.decision.confirmed else ""
            drop = all(row.direction is Direction.HIGHER for row in lost)
            size = f"a {'fall' if drop else 'change'} this large would come up"
            return f"{start}Without a change, {size} {odds(min(chances))}."
        if lost:
            return "<b>Measured without noise: an unchanged system would not move at all.</b>"
    if status is ReportSign.LOOK:
        moved = [
            r
            for r in ordered(report.decision.metrics)
            if r.verdict is MetricVerdict.CANNOT_TELL and r.p and r.change
        ]
        for row in moved[:1]:
            words = f" moved {COMMENT.points(row.unit, row.change)} in {runs}; without a change,"
            return f"{name(row.metric)}{words} that would come up {odds(row.p or 1.0)}."
    return ""


def _chance(report: Report, row: MetricRow) -> float | None:
    """Return how often an unchanged system is as bad: over the passes that made the metric red."""
    earlier = report.decision.earlier
    if earlier is not None and earlier.use == "confirm":
        pooled = {each.metric: each.p for each in earlier.metrics if each.p is not None}
        return pooled.get(row.metric, row.p)
    return row.p
