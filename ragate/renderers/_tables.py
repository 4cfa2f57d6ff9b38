"""The tables of the comment as cells of safe HTML."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from ragate.models import (
    Acceptance,
    MetricRow,
    MetricVerdict,
    Report,
    SampleRow,
)
from ragate.renderers._links import linked
from ragate.renderers._numbers import COMMENT, NOTHING
from ragate.renderers._samples import asked, happened
from ragate.renderers._words import (
    DocumentId,
    ForeignText,
    Name,
    Words,
    below_floor,
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
SENTENCE = 240


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


def metric_cells(row: MetricRow) -> list[str]:
    """Return metric, before, now, change, allowed drop, 95 % interval and verdict."""
    strong = row.verdict in _STRONG or below_floor(row)
    candidate = unbroken(COMMENT.value(row.unit, row.candidate))
    share = passes(row, COMMENT)
    verdict = escape(verdict_text(row, COMMENT), quote=False)
    return [
        as_html(label(row, COMMENT)) + (f"<br>{share}" if share else ""),
        unbroken(COMMENT.value(row.unit, row.baseline)),
        f"<b>{candidate}</b>" if strong else candidate,
        unbroken(COMMENT.change(row.unit, row.change)),
        unbroken(COMMENT.allowed(row.unit, row.allowed)),
        unbroken(_interval(row)),
        f"<b>{verdict}</b>" if row.blocks else verdict,
    ]


def unbroken(figure: str) -> str:
    """Keep a figure on one line: a narrow column would part a number from its unit."""
    return figure.replace(" ", "&nbsp;")


def _interval(row: MetricRow) -> str:
    if row.interval is not None:
        return " … ".join(COMMENT.change(row.unit, end) for end in row.interval)
    if row.exact and row.change is not None:
        return f"exact, {row.worse:,} worse" if row.worse else "exact"
    return NOTHING


def sample_cells(
    row: SampleRow, report: Report, *, limit: int = CELL, fails: str = ""
) -> dict[str, str]:
    """Return the cells of one sample's line.

    Args:
        fails: What its must-pass rule says, as safe HTML.
    """
    shown = linked(name(row.sample_id), report.links.samples.get(row.sample_id, ""))
    marks = [name(tag) for tag in row.tags[:1]] + (["<b>must pass</b>"] if row.must_pass else [])
    what = as_html(happened(row, COMMENT), limit, report.links.documents)
    return {
        "id": " · ".join([shown, *marks]),
        "query": code(asked(row), limit),
        "what": f"{fails}; {what}" if fails else what,
    }


def means(values: dict[str, float]) -> str:
    """Return the first two means of a removed sample in brackets."""
    shown = [f"{name(metric)} {mean:.2f}" for metric, mean in list(values.items())[:2]]
    return f"({', '.join(shown)} in the baseline)" if shown else ""


def documents(doc_ids: Iterable[str]) -> str:
    """Return the first two ids as code."""
    return listing((code(doc_id, 80) for doc_id in doc_ids), 2)


def acceptance(row: Acceptance) -> str:
    """Return one accepted drop as a sentence."""
    return f"{name(row.metric)} by {name(row.by)}: {code(row.reason, SENTENCE)}"
