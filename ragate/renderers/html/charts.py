"""The charts of a report: specifications that are data files, drawn to SVG without a browser."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ragate.models import Report
from ragate.renderers._numbers import counted
from ragate.renderers.html.chart_rows import (
    MOST_DRAWN,
    Rows,
    change_rows,
    interval_rows,
    moved_metrics,
    rank_rows,
    scatter_rows,
    spent_rows,
    unmoved_rows,
)
from ragate.renderers.html.svg import as_part
from ragate.support.escape import one_line

_VERSION = "5.20"  # of Vega-Lite, whose compiler the package holds
_MOST_HISTOGRAMS = 3


class Chart(NamedTuple):
    """One picture: its title, how to read it, and the SVG."""

    title: str
    text: str
    svg: str


def charts_of(report: Report) -> list[Chart]:
    """Return the charts that have something to show; none where the package that draws is missing.

    Everything they show stands in the page's tables too.
    """
    return list(drawn(_charts(report)))


def _charts(report: Report) -> Iterator[Chart]:
    if report.baseline_system is None:
        return
    for unit, rows in interval_rows(report).items():
        yield chart(
            f"Change of each metric, {unit}",
            "Dot and line: change with its 95 % interval. Gold: allowed drop. "
            "Grey: smallest drop that would show.",
            "intervals",
            {"rows": rows},
        )
    yield from _of_samples(report)
    if rows := rank_rows(report):
        yield chart(
            "Ranks of expected documents",
            "Of changed questions; the number counts documents.",
            "ranks",
            {"rows": rows},
        )
    if rows := spent_rows(report.decision.metrics):
        yield chart("Cost and time", "Before and now.", "spent", {"rows": rows})


def _of_samples(report: Report) -> Iterator[Chart]:
    moved = moved_metrics(report)
    for metric in moved[:MOST_DRAWN]:
        rows = scatter_rows(report, metric)
        unmoved = unmoved_rows(report.details, metric.metric)
        still = sum(row["count"] for row in unmoved)
        ends = [row[side] for row in rows for side in ("before", "now")]
        ends += [row["at"] for row in unmoved]
        name = one_line(metric.metric, 60)
        kept = f" Grey: {counted(still, 'question')} that did not move." if still else ""
        yield chart(
            f"{name}, question by question",
            f"Below the line: lower than before. A point leads to its question.{kept}",
            "scatter",
            {"rows": rows, "unmoved": unmoved, "diagonal": [{"at": min(ends)}, {"at": max(ends)}]},
        )
    if moved:
        yield chart(
            "How much the scores changed",
            "Questions that moved, by the size of the change; fractions in points.",
            "changes",
            {"rows": change_rows(report, moved[:_MOST_HISTOGRAMS])},
        )


def chart(title: str, text: str, name: str, data: Mapping[str, Rows]) -> Chart:
    """Return one picture of a specification; raises as `as_part` does."""
    return Chart(title, text, as_part(draw(name, data), label=title))


def drawn(charts: Iterator[Chart]) -> Iterator[Chart]:
    """Yield the charts until one cannot be drawn: the page says all of it in its tables.

    None is where the package that draws is missing.
    """
    with suppress(ValueError, ImportError):
        yield from charts


def draw(name: str, data: Mapping[str, Rows]) -> str:
    """Return the SVG of one specification with the data in place; nothing is fetched for it.

    Values are data alone: fields, expressions and addresses stand in the specification.
    """
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(
        {**_specification(f"{name}.vl.json"), "datasets": dict(data)},
        vl_version=_VERSION,
        config=_specification("theme.json"),
        allowed_base_urls=[],
    )
    return svg


@cache
def _specification(name: str) -> dict[str, Any]:
    text = (files("ragate.renderers.html") / "specs" / name).read_text(encoding="utf-8")
    specification: dict[str, Any] = json.loads(text)
    return specification
