"""The table of metrics: what moved, in the width of a terminal."""

from collections.abc import Sequence

from ragate.models import MetricRow, MetricVerdict, Report
from ragate.renderers._lines import columns, wrapped
from ragate.renderers._numbers import NOTHING, TERMINAL
from ragate.renderers._words import (
    below_floor,
    ordered,
    passes,
    shown_rows,
    verdict_text,
    wants_a_look,
)
from ragate.renderers.console._page import Page, at_most, padded

MOST_ROWS = 8
MOST_LINES = 11
_NAME = 28  # a longer name has a line of its own
_HEAD = ("metric", "before", "now", "change", "allowed", "verdict")
_SURE = ("metric", "level", "n", "95 % interval of the change", "passes")


def brief_table(report: Report, page: Page) -> list[str]:
    """Return the figures of the first metrics, what blocks first, in a few lines."""
    for most in range(MOST_ROWS, 1, -1):
        lines = table(report, page, most=most)
        if len(lines) <= MOST_LINES:
            return lines
    return at_most(table(report, page, most=1), MOST_LINES)


def table(report: Report, page: Page, *, most: int | None) -> list[str]:
    """Return the figures of each metric, what blocks first; one line names those left out.

    Args:
        most: Rows at most; None lists all, the slices that nobody has to look at included.
    """
    rows = shown_rows(report.decision)
    if most is None:
        rows += [row for row in ordered(report.decision.slices) if row not in rows]
    shown = rows[:most]
    lines = _aligned(_HEAD, [(_cells(row, page), _colour(row)) for row in shown], page)
    rest = rows[len(shown) :]
    blocking = [page.foreign(row.key, 60) for row in rest if row.blocks]
    others = [page.foreign(row.key, 60) for row in rest if not row.blocks]
    lines += at_most([page.paint(line, "red") for line in _named("block as well", blocking)], 2)
    return lines + at_most(_named("also measured", others), 2)


def _named(title: str, names: Sequence[str], most: int = 6) -> list[str]:
    if not names:
        return []
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return wrapped(f"{title}: {', '.join([*names[:most], *more])}")


def sureness(report: Report, page: Page) -> list[str]:
    """Return level, number of samples, interval and share that passes of every metric."""
    rows = ordered(report.decision.rows)
    cells = [
        [
            page.foreign(row.key, 60),
            row.level,
            f"{row.n:,}",
            _interval(row),
            passes(row, TERMINAL).partition(": ")[2].replace("95 % interval ", "") or NOTHING,
        ]
        for row in rows
    ]
    return _aligned(_SURE, [(line, "") for line in cells], page)


def _cells(row: MetricRow, page: Page) -> list[str]:
    unit = row.unit
    return [
        page.foreign(row.key, 60),
        TERMINAL.value(unit, row.baseline),
        TERMINAL.value(unit, row.candidate),
        TERMINAL.change(unit, row.change),
        TERMINAL.allowed(unit, row.allowed),
        verdict_text(row, TERMINAL),
    ]


def _interval(row: MetricRow) -> str:
    if row.interval is None:
        return "exact" if row.exact else NOTHING
    return " … ".join(TERMINAL.change(row.unit, end) for end in row.interval)


def _colour(row: MetricRow) -> str:
    """Return the colour that a row has by its own verdict: red means proven."""
    undecided = row.verdict in (MetricVerdict.NOT_COMPARABLE, MetricVerdict.NOT_MEASURED)
    if row.blocks and (below_floor(row) or not undecided):
        return "red"
    if wants_a_look(row) or below_floor(row):
        return "yellow"
    return "green" if row.verdict is MetricVerdict.IMPROVED else ""


def _aligned(
    head: Sequence[str], rows: Sequence[tuple[Sequence[str], str]], page: Page
) -> list[str]:
    """Return a table: figures to the right, words to the left, the last column wrapped."""
    if not rows:
        return []
    kept = [i for i in range(len(head)) if i == 0 or any(cells[i] != NOTHING for cells, _ in rows)]
    last = kept[-1]
    widths = {
        i: max(columns(head[i]), *(columns(cells[i]) for cells, _ in rows)) for i in kept[:-1]
    }
    short = [width for cells, _ in rows if (width := columns(cells[0])) <= _NAME]
    widths[0] = max([columns(head[0]), *short])
    lines = []
    for cells, colour in [(head, ""), *rows]:
        long = columns(cells[0]) > widths[0]
        start = "  ".join(
            padded("" if i == 0 and long else cells[i], widths[i], right=_is_figure(head[i]))
            for i in kept[:-1]
        )
        text = wrapped(cells[last], first=start + "  ", rest=" " * (columns(start) + 2))
        block = [cells[0]] if long else []
        lines += [page.paint(line.rstrip(), colour) for line in (*block, *text)]
    return lines


def _is_figure(title: str) -> bool:
    return title in {"before", "now", "change", "allowed", "n", "95 % interval of the change"}
