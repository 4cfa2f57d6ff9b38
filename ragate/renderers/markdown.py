"""The comment on the pull request and the job summary, in GitHub's Markdown.

Everything that may hold foreign text is raw HTML that starts a line, so that no Markdown parser
looks inside; see docs/decisions/0020-untrusted-text.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from markupsafe import Markup

from ragate.guards.escape import code, name
from ragate.models import MetricRow, MetricVerdict, Report, SampleRow
from ragate.renderers._headline import ICONS
from ragate.renderers._numbers import counted
from ragate.renderers._templates import template
from ragate.renderers._view import MOST_SAMPLES, MetricLine, View
from ragate.renderers._words import ForeignText, Name, Strong, Words, below_floor, fell, joined

_TEMPLATE = "templates/comment.md.j2"
_COMPARED = ("metric", "before → now", "verdict")
_ALONE = ("metric", "now", "verdict")
_BOLD, _BREAK = Markup("<b>{}</b>"), Markup("<br>")
_STRONG = (MetricVerdict.REGRESSED, MetricVerdict.IMPROVED)
ABOVE = 31  # characters of one text above the fold
CELL = 110
SENTENCE = 240
BUDGET = 60_000  # UTF-8 bytes; GitHub takes 65,536 characters
MOST_FOLDED = 50
MOST_MOVED = 5
MOST_ROWS = 20
_LONG_KEY = 18  # characters; a longer name is broken where a phone has no room for it
_ROOM = 200  # bytes for a line that says how many rows were cut, and for a section's frame


@dataclass(frozen=True)
class Section:
    """A folded table; `more` counts the rows that were cut."""

    title: str
    rows: list[list[Markup]]
    more: int = 0
    head: tuple[str, ...] = ()

    @property
    def columns(self) -> int:
        return max((len(row) for row in self.rows), default=1)


def render(report: Report, *, budget: int = BUDGET, most: int = MOST_FOLDED) -> str:
    """Return the comment in at most `budget` UTF-8 bytes.

    The marker, the verdict, the metrics that block and the worst samples are always kept; folded
    rows are cut, and their number is told.

    Args:
        most: Samples of one kind in the fold; a job summary has room for more than a comment.
    """
    view = View(report)
    samples = [
        Section(title, [_sample(view, row) for row in rows[:most]], len(rows[most:]))
        for title, rows in view.folded().items()
    ]
    room = budget - len(_fill(view, []).encode())
    fitting = list(_fitting([*_details(view), *samples], room))
    # Details are short and bounded, so they get room first; the reader wants the samples first.
    titles = {section.title for section in samples}
    fitting.sort(key=lambda section: section.title not in titles)
    return _fill(view, fitting)


def marker(gate: str, head: str) -> str:
    """Return line 1 of the comment, by which the next run finds it."""
    return f"{marker_of(gate)}head={_token(head)} -->"


def marker_of(gate: str) -> str:
    """Return the part of line 1 that names the gate and stays the same for every commit."""
    return f"<!-- ragate:1 gate={_token(gate)} "


def _token(text: str) -> str:
    """Percent-encode, so that two gates never share a marker and none can end the HTML comment."""
    return quote(text[:80], safe="", errors="replace").replace("--", "-%2D")


def _fitting(folded: list[Section], room: int) -> Iterable[Section]:
    """Yield the sections with as many of their rows as fit in `room` bytes altogether."""
    room -= _ROOM
    for section in folded:
        room -= _ROOM + len(section.title.encode())
        rows = []
        for row in section.rows:
            room -= sum(len(f"<td>{cell}</td>".encode()) for cell in row) + len("<tr></tr>\n")
            if room < 0:
                break
            rows.append(row)
        if rows:
            hidden = section.more + len(section.rows) - len(rows)
            yield Section(section.title, rows, hidden, section.head)
        if room < 0:
            return


def _details(view: View) -> list[Section]:
    """Return the folded sections on the decision and the data, each of bounded length."""
    head = _COMPARED if view.is_compared else _ALONE
    tables = {"All metrics": [_metric(row, view, full=True) for row in view.all_rows]}
    for title, cells in view.lists.items():
        tables[title] = [[as_html(cell, SENTENCE) for cell in row] for row in cells]
    return [
        Section(title, rows[:MOST_ROWS], len(rows[MOST_ROWS:]), () if title in view.lists else head)
        for title, rows in tables.items()
        if rows
    ]


def _fill(view: View, folded: list[Section]) -> str:
    shown, decision = view.moved[:MOST_MOVED], view.report.decision
    counts = {
        "warning": len(decision.warnings),
        "more metric": len(view.moved) - MOST_MOVED,
        "slice": len(decision.slices),
    }
    summary = [
        *view.counted(len(view.samples[:MOST_SAMPLES])),
        "how it was decided",
        *(counted(count, noun) for noun, count in counts.items() if count > 0),
    ]
    return template(
        _TEMPLATE
    ).render(
        marker=Markup(marker(view.report.gate, view.report.head)),  # noqa: S704  percent-encoded
        icon=ICONS[view.sign],
        headline=as_html(view.headline),
        rules=as_html([view.rules]),
        notes=[as_html(words, SENTENCE) for words in (*view.notes, *view.asides)],
        columns=_COMPARED if view.is_compared else _ALONE,
        metrics=[_metric(row, view) for row in shown],
        held=as_html(view.untold(shown) if view.is_compared else []),
        title=view.title,
        samples=[_sample(view, row, limit=ABOVE) for row in view.samples[:MOST_SAMPLES]],
        next=[as_html(words, SENTENCE) for words in view.steps],
        footer=as_html(joined(view.facts, " · ")),
        summary=", ".join(summary),
        folded=folded,
    )


def read_files() -> None:
    """Read what a comment is filled from."""
    template(_TEMPLATE)


# Cells of safe HTML.


def as_html(words: Words, limit: int = CELL) -> Markup:
    """Return the words as HTML: foreign ones through their filter, trusted ones escaped."""
    return Markup("".join(_safe(word, limit) for word in words))  # noqa: S704


def _safe(word: str, limit: int) -> str:
    if isinstance(word, ForeignText):
        shown = name(word) if isinstance(word, Name) else code(word, limit)
        return f'<a href="{escape(word.url)}">{shown}</a>' if word.url else shown
    safe = escape(word, quote=False)
    return f"<b>{safe}</b>" if isinstance(word, Strong) else safe


def _metric(row: MetricRow, view: View, *, full: bool = False) -> list[Markup]:
    """Return metric, before and now, and the verdict with the change: three columns fit a phone."""
    line = MetricLine(row)
    figure = _unbroken(line.now)
    if row.verdict in _STRONG or below_floor(row):
        figure = _BOLD.format(figure)
    verdict = as_html([line.verdict if full or not view.is_compared else line.brief])
    what = as_html(line.what)
    if len(row.key) > _LONG_KEY:
        what = Markup(str(what).replace("_", "_<wbr>").replace(".", ".<wbr>"))  # noqa: S704
    if view.is_compared:
        figure = _unbroken(line.before) + " → " + figure
    if view.is_compared and row.change is not None:
        # What is allowed stands beside what fell only.
        allowed = f" ({line.allowed} allowed)" if row.allowed and fell(row) else ""
        verdict = _unbroken(line.change) + f"{allowed}: " + verdict
    return [what, figure, _BOLD.format(verdict) if row.blocks else verdict]


def _unbroken(figure: str) -> Markup:
    """Keep a figure on one line: a narrow column would part a number from its unit."""
    return Markup("&nbsp;").join(figure.split(" "))


def _sample(view: View, row: SampleRow, limit: int = CELL) -> list[Markup]:
    """Return the one cell of a sample: who was asked what, and below it what happened."""
    return [as_html(view.who(row)) + _BREAK + as_html(view.what(row, limit=limit), limit)]
