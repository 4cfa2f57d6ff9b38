"""The short table of the comment: what moved, and one line for what held."""

from collections.abc import Sequence

from ragate.models import MetricRow, MetricVerdict, Report
from ragate.renderers._numbers import COMMENT
from ragate.renderers._tables import as_html, listing
from ragate.renderers._words import (
    fell,
    label,
    not_proven,
    shown_rows,
    unsure_slices,
    wants_a_look,
)
from ragate.support.escape import name

MOST_MOVED = 5
MOST_HELD = 4
_HELD = (MetricVerdict.HELD, MetricVerdict.UNCHANGED, MetricVerdict.IMPROVED)


def moved_rows(report: Report) -> list[MetricRow]:
    """Return the metrics that a reader has to see, in the order of `_words.ordered`.

    What blocks stands first; all of them where nothing was compared.
    """
    rows = shown_rows(report.decision)
    if all(row.baseline is None for row in rows):
        return rows
    unsure = unsure_slices(report.decision)
    return [row for row in rows if row in unsure or _has_moved(row)]


def held_line(report: Report, moved: Sequence[MetricRow]) -> str:
    """Return what stands in no row and must be known: what blocks as well, fell, or held.

    Args:
        moved: The rows that want one; the first `MOST_MOVED` have it.
    """
    as_well = [row for row in moved[MOST_MOVED:] if row.blocks]
    gated = [row for row in report.decision.metrics if row.level == "error"]
    held = [row for row in gated if row.verdict in _HELD and row not in moved]
    unproven = [row for row in held if not_proven(row)]
    lower = [row for row in held if fell(row) and row not in unproven]
    lower.sort(key=lambda row: row.lost / (row.allowed or 1.0), reverse=True)
    calm = [row for row in held if not fell(row)]
    is_still = all(row.verdict is MetricVerdict.UNCHANGED for row in calm)
    lines = {
        "<b>Blocks as well</b>": listing(map(_sized, as_well), len(as_well)),
        "No proven drop": listing(map(_sized, unproven), MOST_HELD),
        "Lower, by no more than is allowed": listing(map(_sized, lower), MOST_HELD),
        "Unchanged" if is_still else "Held": listing((name(row.metric) for row in calm), MOST_HELD),
    }
    return " ".join(f"{title}: {names}." for title, names in lines.items() if names)


def _sized(row: MetricRow) -> str:
    """Return the metric with the size of its change, and of what is allowed."""
    key, change = as_html(label(row, COMMENT)), COMMENT.change(row.unit, row.change)
    return f"{key} ({change})" if row.change else key


def _has_moved(row: MetricRow) -> bool:
    unseen = row.verdict in (MetricVerdict.NOT_MEASURED, MetricVerdict.NOT_COMPARABLE)
    is_gated = row.level == "error"
    figures = {COMMENT.value(row.unit, value) for value in (row.baseline, row.candidate)}
    better = row.verdict is MetricVerdict.IMPROVED and len(figures) > 1
    return row.blocks or row.accepted or better or wants_a_look(row) or (unseen and is_gated)
