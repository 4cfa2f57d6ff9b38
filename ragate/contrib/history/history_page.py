"""A history as a page: one file without a script, readable from the disk."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from ragate.contrib.history.read_history import (
    WINDOW,
    History,
    HistoryPoint,
    MetricHistory,
    StoredPoint,
    comparable,
    metric_histories,
)
from ragate.contrib.history.show_history import (
    arrow_of,
    counted_commits,
    look_of,
    moved_by,
    period,
    signed,
    what_else,
)
from ragate.contrib.history.trend import trend
from ragate.guards.escape import one_line
from ragate.renderers._templates import content_policy, resource, template
from ragate.renderers.html.charts import Chart
from ragate.version import __version__

MOST_CHARTS = 30
MOST_DRAWN = 1_000  # commits of a picture
MOST_MOVES = 200  # of a metric


def as_page(history: History, metrics: Sequence[str]) -> str:
    """Return the page; what its pictures show stands in its tables too."""
    shown = metric_histories(history, metrics)
    names = [each.name for each in shown]
    style = resource("html/page.css")
    verdict = history.verdict
    look = look_of(verdict)
    return template("ragate.contrib.history:page.html.j2").render(
        policy=content_policy(style),
        style=style,
        gate=one_line(history.gate, 100),
        path=one_line(history.path),
        period=period(history),
        sign=look.sign,
        word=look.word,
        judged=f"Last verdict: {verdict.created[:10]} at {verdict.commit[:7]}" if verdict else "",
        notes=history.notes,
        window=f"{WINDOW} days",
        metrics=[_metric_row(each) for each in shown],
        charts=[_trend(history, each) for each in shown[:MOST_CHARTS]],
        moved=[_moved(each) for each in shown if each.moves],
        marks=[[at.date[:10], at.commit[:7], mark] for at, mark in what_else(history)],
        names=[one_line(name, 60) for name in names],
        numbers=range(4, 4 + len(names)),
        runs=[_run_row(run, names) for run in reversed(history.runs)],
        footer=[f"ragate {__version__}"],
    )


def _metric_row(metric: MetricHistory) -> list[str]:
    values = [value for _, value in metric.means]
    drifts = [
        f"{signed(each)} {arrow_of(each)}".strip() or "–" for each in (metric.drift, metric.lately)
    ]
    ends = [f"{value:.3f}" for value in (min(values), max(values))]
    moves = f"{len(metric.moves):,}"
    return [one_line(metric.name, 60), f"{metric.newest:.3f}", *drifts, *ends, moves]


def _moved(metric: MetricHistory) -> tuple[str, list[list[str]], int]:
    rows = [
        [
            move.commit.date[:10],
            move.commit.commit[:7],
            moved_by(move),
            f"{move.before:.3f}",
            f"{move.after:.3f}",
            one_line(move.commit.subject, 100),
        ]
        for move in reversed(metric.moves[-MOST_MOVES:])
    ]
    return one_line(metric.name, 60), rows, max(0, len(metric.moves) - MOST_MOVES)


def _run_row(run: StoredPoint, names: Sequence[str]) -> list[str]:
    figures = [f"{run.means[name]:.3f}" if name in run.means else "–" for name in names]
    return [run.created[:10], run.commit[:7], run.status, one_line(run.run_id, 60), *figures]


def _trend(history: History, metric: MetricHistory) -> Chart:
    name, values = metric.name, metric.means[-MOST_DRAWN:]
    rows = list(_rows(name, values))
    begin = rows[0]["at"]
    marks = [at for point in history.points if point.marks and (at := _at(point)) >= begin]
    runs = [
        {"at": at, "value": run.means[name]}
        for run in history.runs
        if name in run.means and (at := _milliseconds(run.created)) >= begin
    ]
    title = one_line(name, 60)
    return Chart(title, counted_commits(len(rows)), trend(rows, runs, marks, title))


def _rows(name: str, values: Sequence[tuple[HistoryPoint, float]]) -> Iterator[dict[str, Any]]:
    """Yield the points of a line, which breaks where two do not compare."""
    segment = 0
    before: HistoryPoint | None = None
    for point, value in values:
        segment += before is not None and not comparable(before, point, name)
        yield {"at": _at(point), "value": value, "segment": segment}
        before = point


def _at(point: HistoryPoint) -> int:
    return _milliseconds(point.commit.date)


def _milliseconds(date: str) -> int:
    at = datetime.fromisoformat(date)
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
