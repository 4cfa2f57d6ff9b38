"""The short table of the comment: what moved, and one line for what held."""

from collections.abc import Sequence
from html import escape

from ragate.models import MetricRow, MetricVerdict, Report
from ragate.renderers._numbers import COMMENT
from ragate.renderers._tables import as_html, listing, unbroken
from ragate.renderers._words import (
    below_floor,
    label,
    not_proven,
    passes,
    shown_rows,
    unsure_slices,
    verdict_text,
    wants_a_look,
)
from ragate.support.escape import name

MOST_MOVED = 5
MOST_HELD = 4
_STRONG = (MetricVerdict.REGRESSED, MetricVerdict.IMPROVED)
_HELD = (MetricVerdict.HELD, MetricVerdict.UNCHANGED)


def moved_rows(report: Report) -> list[MetricRow]:
    """Return what a reader has to see, what blocks first; all where nothing was compared."""
    rows = shown_rows(report.decision)
    if all(row.baseline is None for row in rows):
        return rows
    unsure = unsure_slices(report.decision)
    return [row for row in rows if row in unsure or _has_moved(row)]


def moved_cells(row: MetricRow, *, compared: bool) -> list[str]:
    """Return metric, before and now, change with what is allowed, and verdict.

    Args:
        compared: There is something to compare with; else metric, now and verdict.
    """
    now = unbroken(COMMENT.value(row.unit, row.candidate))
    figure = f"<b>{now}</b>" if row.verdict in _STRONG or below_floor(row) else now
    share, verdict = passes(row, COMMENT), escape(verdict_text(row, COMMENT), quote=False)
    cells = [as_html(label(row, COMMENT)) + (f"<br>{share}" if share else "")]
    if compared:
        cells += [f"{unbroken(COMMENT.value(row.unit, row.baseline))} → {figure}", _change(row)]
    else:
        cells.append(figure)
    return [*cells, f"<b>{verdict}</b>" if row.blocks else verdict]


def _change(row: MetricRow) -> str:
    change = unbroken(COMMENT.change(row.unit, row.change))
    if row.allowed is None or row.change is None:
        return change
    return f"{change} ({COMMENT.allowed(row.unit, row.allowed)}&nbsp;allowed)"


def held_line(report: Report, moved: Sequence[MetricRow]) -> str:
    """Return the gated metrics that held, in one line; "" where none did."""
    held = [
        row
        for row in report.decision.metrics
        if row.level == "error" and row.verdict in _HELD and row not in moved
    ]
    if not held:
        return ""
    unproven = [
        f"{name(row.metric)} ({COMMENT.change(row.unit, row.change)})"
        for row in held
        if not_proven(row)
    ]
    held = [row for row in held if not not_proven(row)]
    lines = [f"No proven drop: {listing(unproven, MOST_HELD)}."] if unproven else []
    if not held:
        return lines[0]
    is_still = all(row.verdict is MetricVerdict.UNCHANGED for row in held)
    named = listing((name(row.metric) for row in held), MOST_HELD)
    return " ".join([*lines, f"{'Unchanged' if is_still else 'Held'}: {named}."])


def _has_moved(row: MetricRow) -> bool:
    unseen = row.verdict in (MetricVerdict.NOT_MEASURED, MetricVerdict.NOT_COMPARABLE)
    is_gated = row.level == "error"
    better = row.verdict is MetricVerdict.IMPROVED
    return row.blocks or row.accepted or better or wants_a_look(row) or (unseen and is_gated)
