"""The mean change of every metric on the questions of every tag, as a table of tones."""

from collections.abc import Sequence
from typing import NamedTuple

from ragate.models import Direction, Report, RunDetails, SampleScores
from ragate.renderers._numbers import COMMENT, NOTHING
from ragate.support.escape import one_line

MOST_TAGS, MOST_METRICS = 20, 10
_STEPS = (0.005, 0.02, 0.05, 0.1, 0.2)  # from where on a tint is stronger


class HeatCell(NamedTuple):
    """One metric on one tag: the mean change, and how it feels."""

    text: str
    tone: str
    samples: int


class HeatTable(NamedTuple):
    """The table; `more` counts the tags that have no line."""

    metrics: list[str]
    lines: list[tuple[str, int, list[HeatCell]]]
    more: int = 0


def heat_table(report: Report) -> HeatTable | None:
    """Return the table, the tags that lost most first; None where no score or tag is known."""
    details = report.details
    if details is None or report.baseline_system is None:
        return None
    rows = {row.metric: row for row in report.decision.metrics if row.unit == "fraction"}
    columns = [
        (place, rows[name].direction is Direction.LOWER)
        for place, name in enumerate(details.metrics)
        if name in rows
    ][:MOST_METRICS]
    by_tag = _by_tag(details)
    if not by_tag or not columns:
        return None

    def gain(tag: str) -> float:
        pairs = [(_changes(by_tag[tag], place), lower) for place, lower in columns]
        return sum((-1 if lower else 1) * sum(changes) for changes, lower in pairs)

    tags = sorted(by_tag, key=lambda tag: (round(gain(tag), 9), -len(by_tag[tag]), tag))
    lines = [
        (
            one_line(tag, 60),
            len(by_tag[tag]),
            [_cell(_changes(by_tag[tag], place), lower=lower) for place, lower in columns],
        )
        for tag in tags[:MOST_TAGS]
    ]
    names = [one_line(details.metrics[place], 60) for place, _ in columns]
    return HeatTable(names, lines, len(tags) - len(lines))


def _by_tag(details: RunDetails) -> dict[str, list[SampleScores]]:
    by_tag: dict[str, list[SampleScores]] = {}
    for scores in details.samples:
        for tag in dict.fromkeys(scores.tags):
            by_tag.setdefault(tag, []).append(scores)
    return by_tag


def _changes(samples: Sequence[SampleScores], place: int) -> list[float]:
    """Return the change of one metric of each sample that has a score on both sides."""
    pairs = ((each.before[place], each.after[place]) for each in samples)
    return [new - old for old, new in pairs if old is not None and new is not None]


def _cell(changes: list[float], *, lower: bool) -> HeatCell:
    if not changes:
        return HeatCell(NOTHING, "none", 0)
    mean = sum(changes) / len(changes)
    gain = -mean if lower else mean
    size = sum(abs(gain) >= step for step in _STEPS)
    tone = f"{'worse' if gain < 0 else 'better'}-{size}" if size else "calm"
    return HeatCell(COMMENT.change("fraction", mean), tone, len(changes))
