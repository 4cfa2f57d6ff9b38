"""The charts of a report: which there are, and what each shows."""

from collections.abc import Iterator
from typing import NamedTuple

from ragate.models import Report
from ragate.renderers._numbers import counted
from ragate.renderers.html import drawings
from ragate.renderers.html.chart_rows import (
    MOST_DRAWN,
    flip_rows,
    interval_rows,
    moved_metrics,
    moves,
    rank_rows,
    scatter_rows,
    spent_rows,
    unmoved_rows,
)
from ragate.support.escape import one_line


class Chart(NamedTuple):
    """One picture: its title, how to read it, and the SVG."""

    title: str
    text: str
    svg: str


def charts_of(report: Report) -> list[Chart]:
    """Return the charts that have something to show; all of it stands in the page's tables too."""
    return list(_charts(report))


def _charts(report: Report) -> Iterator[Chart]:
    if report.baseline_system is None:
        return
    for unit, rows in interval_rows(report).items():
        title = f"Change of each metric, {unit}"
        yield Chart(
            title,
            "Dot and line: change with its 95 % interval. Gold: allowed drop. "
            "Grey: smallest drop that would show.",
            drawings.intervals({"rows": rows}, title),
        )
    yield from _of_samples(report)
    if rows := rank_rows(report):
        title = "Ranks of expected documents"
        how = "Of changed questions; the number counts documents."
        yield Chart(title, how, drawings.ranks({"rows": rows}, title))
    if rows := spent_rows(report.decision.metrics):
        title = "Cost and time"
        yield Chart(title, "Before and now.", drawings.spent({"rows": rows}, title))


def _of_samples(report: Report) -> Iterator[Chart]:
    moved = moved_metrics(report)
    for metric in moved[:MOST_DRAWN]:
        rows = scatter_rows(report, metric)
        unmoved = unmoved_rows(report.details, metric.metric)
        still = sum(row["count"] for row in unmoved)
        ends = [value for _, before, now in moves(report, metric) for value in (before, now)]
        ends += [row["at"] for row in unmoved]
        name = one_line(metric.metric, 60)
        if set(ends) <= {0.0, 1.0}:
            title = f"{name}, questions"
            how = "What became of a score that is 0 or 1."
            rows = flip_rows(report, metric, unmoved)
            yield Chart(title, how, drawings.spent({"rows": rows}, title))
            continue
        kept = f" Grey: {counted(still, 'question')} that did not move." if still else ""
        title = f"{name}, question by question"
        data = {"rows": rows, "unmoved": unmoved, "diagonal": [{"at": at} for at in ends]}
        yield Chart(
            title,
            f"Below the line: lower than before. A point leads to its question.{kept}",
            drawings.scatter(data, title),
        )
