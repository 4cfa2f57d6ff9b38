"""The upper half of the page: the verdict, why, the metrics, and what else must be known."""

from collections.abc import Sequence
from typing import Any

from ragate.guards.escape import one_line
from ragate.models import MetricRow, Report
from ragate.renderers._headline import GREEN, ReportSign
from ragate.renderers._numbers import duration, lacking
from ragate.renderers._samples import equal_scores, worse_count
from ragate.renderers._view import MOST_SAMPLES, MetricLine, View
from ragate.renderers._words import ForeignText, Strong, Words, in_one_line

MOST_LISTED = 50
SENTENCE = 600
_WORDS = {
    **dict.fromkeys(GREEN, "Passed"),
    ReportSign.LOOK: "Passed, look",
    ReportSign.RED: "Failed",
    ReportSign.NO_DECISION: "No decision",
    ReportSign.BOOTSTRAP: "First run",
}


def verdict_view(report: Report) -> dict[str, Any]:
    """Return what the page's template shows of the report, texts as they are: it escapes them."""
    view = View(report)
    report, slices = view.report, view.report.decision.slices
    places = {row.sample_id: place for place, row in enumerate(report.samples)}
    # The gate stands above it.
    headline = in_one_line(view.headline[1:], 200).lstrip(" :,")
    return {
        "gate": one_line(report.gate, 120),
        "sign": view.sign.value.replace(" ", "-"),
        "word": _WORDS[view.sign],
        "headline": one_line(headline, 1000),
        "verdict": report.decision.verdict.words,
        "rules": view.rules,
        "notes": [parts(words) for words in (*view.notes, *view.asides)],
        "first": [
            (places[row.sample_id], parts(view.who(row)), parts(view.what(row, limit=70)))
            for row in view.samples[:MOST_SAMPLES]
            if row.got_worse
        ],
        "steps": [parts(words) for words in view.steps],
        "tiles": _tiles(view),
        "metrics": [_metric(row) for row in view.rows],
        "slices": [_metric(row) for row in view.all_rows if row in slices],
        "lists": [(title, bounded_cells(rows)) for title, rows in view.lists.items()],
        "footer": [parts(words) for words in view.facts],
    }


def parts(words: Words) -> list[tuple[str, str, str]]:
    """Return of each word what it is, its text on one line, and the page that it leads to."""
    return [
        ("code", one_line(word, SENTENCE), word.url)
        if isinstance(word, ForeignText)
        else ("strong" if isinstance(word, Strong) else "text", word, "")
        for word in words
    ]


def _tiles(view: View) -> list[tuple[str, str]]:
    """Return the figures that are read first, each with its name."""
    facts, samples = view.report.facts, view.report.samples
    counts = {
        "questions": facts.samples,
        "worse": worse_count(view.report),
        "better": len(view.groups.get("better", [])),
        "other words, equal scores": equal_scores(samples),
        **({"affected": facts.affected} if facts.affected is not None else {}),
        **lacking(facts),
        "model calls": facts.model_calls,
    }
    tiles = [(name, f"{count:,}") for name, count in counts.items()]
    tiles += [("cost", f"${facts.cost_usd:,.2f}")] if facts.cost_usd is not None else []
    return tiles + ([("time", duration(facts.duration_s))] if facts.duration_s is not None else [])


def _metric(row: MetricRow) -> dict[str, Any]:
    line = MetricLine(row)
    return {**vars(line), "name": one_line("".join(line.what), 120)}


def bounded_cells(rows: Sequence[Sequence[Words]]) -> list[list[str]]:
    """Return the cells on one line each; beyond `MOST_LISTED` rows one says how many there are."""
    cells = [[one_line("".join(cell), SENTENCE) for cell in row] for row in rows[:MOST_LISTED]]
    more = len(rows) - MOST_LISTED
    return [*cells, [f"… and {more:,} more"]] if more > 0 else cells
