"""The tables of the comment as cells of safe HTML."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from ragate.models import (
    Acceptance,
    Diagnosis,
    MetricRow,
    MetricVerdict,
    MustPassRow,
    Report,
    SampleRow,
    WaiverRow,
)
from ragate.renderers._numbers import COMMENT, NOTHING
from ragate.renderers._samples import asked, happened
from ragate.renderers._status import TELLS_WHY, status_of
from ragate.renderers._words import (
    ForeignText,
    Name,
    Words,
    below_floor,
    label,
    ordered,
    passes,
    shown_rows,
    verdict_text,
)
from ragate.support.escape import code, name

_STRONG = (MetricVerdict.REGRESSED, MetricVerdict.IMPROVED)
MOST_METRICS = 6
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

    @property
    def columns(self) -> int:
        return max((len(row) for row in self.rows), default=1)


def as_html(words: Words, limit: int = CELL) -> str:
    """Return the words as HTML: foreign ones through their filter, trusted ones escaped."""
    return "".join(_safe(word, limit) for word in words)


def _safe(word: str, limit: int) -> str:
    if isinstance(word, Name):
        return name(word)
    return code(word, limit) if isinstance(word, ForeignText) else escape(word, quote=False)


def listing(items: Iterable[str], most: int = 3) -> str:
    """Join with commas, at most `most` of them."""
    shown = list(items)
    hidden = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + hidden


def metric_cells(row: MetricRow) -> dict[str, str]:
    """Return the cells of one metric's line."""
    strong = row.verdict in _STRONG or below_floor(row)
    candidate = _unbroken(COMMENT.value(row.unit, row.candidate))
    share = passes(row, COMMENT)
    verdict = escape(verdict_text(row, COMMENT), quote=False)
    return {
        "metric": as_html(label(row, COMMENT))
        + (" (no&nbsp;noise)" if row.exact else "")
        + (f"<br>{share}" if share else ""),
        "baseline": _unbroken(COMMENT.value(row.unit, row.baseline)),
        "now": f"<b>{candidate}</b>" if strong else candidate,
        "change": _unbroken(COMMENT.change(row.unit, row.change)),
        "allowed": _unbroken(COMMENT.allowed(row.unit, row.allowed)),
        "interval": _unbroken(_interval(row)),
        "verdict": f"<b>{verdict}</b>" if row.blocks else verdict,
    }


def _unbroken(figure: str) -> str:
    """Keep a figure on one line: a narrow column would part a number from its unit."""
    return figure.replace(" ", "&nbsp;")


def _interval(row: MetricRow) -> str:
    if row.interval is not None:
        return " … ".join(COMMENT.change(row.unit, end) for end in row.interval)
    if row.exact and row.change is not None:
        return f"exact, {row.worse:,} worse" if row.worse else "exact"
    return NOTHING


def sample_cells(row: SampleRow) -> dict[str, str]:
    """Return the cells of one sample's line."""
    marks = [name(tag) for tag in row.tags[:1]] + (["<b>must pass</b>"] if row.must_pass else [])
    return {
        "id": " · ".join([name(row.sample_id), *marks]),
        "query": code(asked(row), CELL),
        "what": as_html(happened(row, COMMENT)),
    }


def means(values: dict[str, float]) -> str:
    """Return the first two means of a removed sample in brackets."""
    shown = [f"{name(metric)} {mean:.2f}" for metric, mean in list(values.items())[:2]]
    return f"({', '.join(shown)} in the baseline)" if shown else ""


def details(report: Report) -> list[Section]:
    """Return the folded sections on the decision and the data, each of bounded length."""
    decision, data = report.decision, report.data
    rows = shown_rows(decision)
    slices = ordered(decision.slices)
    changed = dict.fromkeys((*data.added, *data.edited))
    missing = data.missing_documents.items()
    tables: list[tuple[str, Iterable[list[str]]]] = [
        ("More metrics", (list(metric_cells(row).values()) for row in rows[MOST_METRICS:])),
        ("What the verdict rests on", map(_sentence, decision.lines)),
        ("Slices", (list(metric_cells(row).values()) for row in slices)),
        ("Each metric", map(_metric_detail, [*ordered(decision.metrics), *slices])),
        ("Reasons", map(_sentence, _folded_reasons(report))),
        ("Warnings", map(_sentence, decision.warnings)),
        ("What the pattern suggests", map(_diagnosis, report.diagnosis)),
        ("Must-pass questions", map(_must_pass, decision.must_pass)),
        ("Waived: shown, not counted", map(_waiver, decision.waivers)),
        (
            "Removed from the golden set",
            ([name(r.sample_id), means(r.means)] for r in data.removed),
        ),
        ("Added or edited", ([name(sample_id)] for sample_id in changed)),
        (
            "Expected, but not in the corpus",
            ([name(key), documents(docs)] for key, docs in missing),
        ),
    ]
    return [_section(title, list(cells)) for title, cells in tables if cells]


def _folded_reasons(report: Report) -> tuple[str, ...]:
    """Return the reasons, unless the notes above the fold tell all of them already."""
    reasons = report.decision.reasons
    return () if status_of(report) in TELLS_WHY and len(reasons) <= MOST_REASONS else reasons


def _section(title: str, rows: list[list[str]]) -> Section:
    return Section(title, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS))


def documents(doc_ids: Iterable[str]) -> str:
    """Return the first two ids as code."""
    return listing((code(doc_id, 80) for doc_id in doc_ids), 2)


def _sentence(text: str) -> list[str]:
    return [code(text, SENTENCE)]


def _metric_detail(row: MetricRow) -> list[str]:
    facts = [f"n = {row.n:,}"]
    facts += [f"p = {row.p:.2g}"] if row.p is not None else []
    facts += [f"other claim p = {row.p_other:.2g}"] if row.p_other is not None else []
    facts += [f"shows drops from {COMMENT.size(row.unit, row.mde)}"] if row.mde is not None else []
    facts += [f"{row.better:,} better, {row.worse:,} worse"] if row.better or row.worse else []
    facts += [f"{row.not_applicable:,} not applicable"] if row.not_applicable else []
    reasons = [f"{count:,} x {code(why, 60)}" for why, count in row.unscored_reasons.items()]
    facts += [f"unscored: {listing(reasons)}"] if reasons else []
    return [name(row.key), ", ".join(facts), code(row.reason, SENTENCE) if row.reason else ""]


def _diagnosis(row: Diagnosis) -> list[str]:
    return [code(text, SENTENCE) for text in (row.symptom, row.likely_cause, row.action)]


def _must_pass(row: MustPassRow) -> list[str]:
    outcome = "met" if row.met else f"{row.failed:,} of {row.tries:,} tries failed"
    before = "passed every baseline run" if row.eligible else "did not pass every baseline run"
    if row.false_red is not None:
        before += f", fails by chance in {COMMENT.value('fraction', row.false_red)} of runs"
    return [name(row.sample_id), name(row.metric), outcome, before]


def _waiver(row: WaiverRow) -> list[str]:
    why = code(f"{row.owner}: {row.reason}", SENTENCE)
    return [name(row.sample_id), name(row.metric), why, f"until {code(row.until, 20)}"]


def acceptance(row: Acceptance) -> str:
    """Return one accepted drop as a sentence."""
    return f"{name(row.metric)} by {name(row.by)}: {code(row.reason, SENTENCE)}"
