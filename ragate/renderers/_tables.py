"""The tables of the comment as cells of safe HTML."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape

from ragate.core.text.wording import odds
from ragate.models import (
    EarlierFigure,
    MetricRow,
    MetricVerdict,
    Report,
    SampleRow,
)
from ragate.renderers._numbers import COMMENT, TERMINAL, Numbers
from ragate.renderers._samples import asked, happened
from ragate.renderers._words import (
    DocumentId,
    ForeignText,
    Name,
    Words,
    below_floor,
    fell,
    label,
    passes,
    verdict_text,
)
from ragate.support.escape import code, name

_STRONG = (MetricVerdict.REGRESSED, MetricVerdict.IMPROVED)
_NO_LINKS: Mapping[str, str] = {}
MOST_ROWS = 20
MOST_REASONS = 3
CELL = 110
_LONG_KEY = 18  # characters; a longer name is broken where a phone has no room for it
SENTENCE = 240
MOST_FIGURES = 6


@dataclass(frozen=True)
class Section:
    """A folded table; `more` counts the rows that were cut."""

    title: str
    rows: list[list[str]]
    more: int = 0
    head: tuple[str, ...] = ()

    @property
    def columns(self) -> int:
        return max((len(row) for row in self.rows), default=1)


def as_html(words: Words, limit: int = CELL, links: Mapping[str, str] = _NO_LINKS) -> str:
    """Return the words as HTML: foreign ones through their filter, trusted ones escaped.

    Args:
        links: By document, the page of it.
    """
    return "".join(_safe(word, limit, links) for word in words)


def _safe(word: str, limit: int, links: Mapping[str, str]) -> str:
    if isinstance(word, Name):
        return name(word)
    if isinstance(word, DocumentId):
        return linked(code(word, limit), links.get(word, ""))
    return code(word, limit) if isinstance(word, ForeignText) else escape(word, quote=False)


def listing(items: Iterable[str], most: int = 3) -> str:
    """Join with commas, at most `most` of them."""
    shown = list(items)
    hidden = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + hidden


def metric_cells(row: MetricRow, *, compared: bool = True, full: bool = False) -> list[str]:
    """Return metric, before and now, and the verdict with the change: three columns fit a phone.

    Args:
        compared: There is something to compare with; else metric, now and verdict.
        full: With interval, pass rate and every floor, as the fold has them.
    """
    figure = unbroken(COMMENT.value(row.unit, row.candidate))
    if row.verdict in _STRONG or below_floor(row):
        figure = f"<b>{figure}</b>"
    verdict = escape(verdict_text(row, COMMENT, floors=full), quote=False)
    what = as_html(label(row, COMMENT))
    if len(row.key) > _LONG_KEY:
        what = what.replace("_", "_<wbr>").replace(".", ".<wbr>")
    if compared:
        figure = f"{unbroken(COMMENT.value(row.unit, row.baseline))} → {figure}"
        verdict = f"{_change(row, full)}{verdict}"
    if full and (share := passes(row, COMMENT)):
        what = f"{what}<br>{share}"
    return [what, figure, f"<b>{verdict}</b>" if row.blocks else verdict]


def _change(row: MetricRow, full: bool) -> str:
    """Return ``−6.5 (1.0 allowed): ``; what is allowed stands beside what fell only."""
    if row.change is None:
        return ""
    beside = []
    if row.allowed and fell(row):
        beside.append(f"{COMMENT.allowed(row.unit, row.allowed)} allowed")
    if full and row.interval is not None:
        ends = " … ".join(COMMENT.change(row.unit, end) for end in row.interval)
        beside.append(f"95 % interval {ends}")
    if full and row.exact:
        beside.append("repeats exactly")
    change = unbroken(COMMENT.change(row.unit, row.change))
    return f"{change} ({', '.join(beside)}): " if beside else f"{change}: "


def unbroken(figure: str) -> str:
    """Keep a figure on one line: a narrow column would part a number from its unit."""
    return figure.replace(" ", "&nbsp;")


def sample_lines(
    row: SampleRow, report: Report, *, limit: int = CELL, fails: str = ""
) -> list[str]:
    """Return the one cell of a sample: who was asked what, and below it what happened.

    Args:
        fails: What its must-pass rule says, as safe HTML.
    """
    marks = [name(tag) for tag in row.tags[:1]] + (["<b>must pass</b>"] if row.must_pass else [])
    what = as_html(happened(row, COMMENT), limit, report.links.documents)
    who = " · ".join([sample_link(report, row.sample_id), *marks, code(asked(row), CELL)])
    return [f"{who}<br>{fails}{'; ' if fails else ''}{what}"]


def means(values: dict[str, float]) -> str:
    """Return the first two means of a removed sample in brackets."""
    shown = [f"{name(metric)} {mean:.2f}" for metric, mean in list(values.items())[:2]]
    return f"({', '.join(shown)} in the baseline)" if shown else ""


def documents(doc_ids: Iterable[str]) -> str:
    """Return the first two ids as code."""
    return listing((code(doc_id, 80) for doc_id in doc_ids), 2)


# Links of the comment: an address is used only where it is a plain https one.


_ADDRESS = re.compile(r"https://[A-Za-z0-9.:-]{1,200}/[A-Za-z0-9._~/%#?=&@+-]{0,600}")


def linked(shown: str, url: str) -> str:
    """Return safe HTML as a link to `url`; without one where that is no plain https address."""
    return f'<a href="{escape(url)}">{shown}</a>' if plain_address(url) else shown


def plain_address(url: str) -> str:
    """Return the address, "" where it is no plain https one."""
    return url if _ADDRESS.fullmatch(url) else ""


def sample_link(report: Report, sample_id: str) -> str:
    """Return a sample's name, which leads to its line in the golden set."""
    return linked(name(sample_id), report.links.samples.get(sample_id, ""))


def earlier_note(report: Report) -> str:
    """Return the passes of earlier runs in one sentence, "" where there are none."""
    earlier = report.decision.earlier
    if earlier is None:
        return ""
    shown = listing(_figures(report, COMMENT, name), MOST_FIGURES)
    return f"<b>Earlier runs:</b> {code(earlier.note, SENTENCE)}" + (f"; {shown}." if shown else "")


def earlier_lines(report: Report, foreign: Callable[[str, int], str]) -> list[str]:
    """Return the same for a terminal; `foreign` is its filter for text of others."""
    earlier = report.decision.earlier
    if earlier is None:
        return []
    figures = _figures(report, TERMINAL, lambda text: foreign(text, 40))
    return [f"Earlier runs: {foreign(earlier.note, 300)}", *(f"  - {line}" for line in figures)]


def _figures(report: Report, numbers: Numbers, shown: Callable[[str], str]) -> list[str]:
    earlier = report.decision.earlier
    rows = {row.metric: row for row in report.decision.metrics}
    figures = earlier.metrics if earlier is not None else ()
    return [
        f"{shown(each.metric)} {_figure_words(each, rows[each.metric], numbers)}"
        for each in figures
        if each.metric in rows
    ]


def _figure_words(figure: EarlierFigure, row: MetricRow, numbers: Numbers) -> str:
    newest, earlier, pooled = (
        numbers.value(row.unit, value) for value in (figure.newest, figure.earlier, figure.pooled)
    )
    chance = "" if figure.p is None else f" (an unchanged system {odds(figure.p)})"
    return f"{newest} now, {earlier} earlier, {pooled} together{chance}"
