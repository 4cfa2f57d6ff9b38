"""Passes of earlier runs of the same commit: their figures stand apart, with their dates."""

from collections.abc import Callable

from ragate.core.text.wording import odds
from ragate.models import EarlierFigure, MetricRow, Report
from ragate.renderers._numbers import COMMENT, TERMINAL, Numbers
from ragate.renderers._tables import SENTENCE, listing
from ragate.support.escape import code, name

MOST_FIGURES = 6


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
