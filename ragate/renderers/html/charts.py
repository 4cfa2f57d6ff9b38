"""The charts of a report: which there are, and what each shows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragate.guards.escape import one_line
from ragate.models import Direction, MetricRow, RankChange, Report, RunDetails, SampleScores
from ragate.renderers import _numbers as numbers
from ragate.renderers._numbers import NOTHING, counted
from ragate.renderers._words import ordered, tone, visible_from
from ragate.renderers.html import drawings
from ragate.renderers.html.drawings import Rows


class Chart(NamedTuple):
    """One picture: its title, how to read it, and the SVG."""

    title: str
    text: str
    svg: str


def charts_of(report: Report) -> Iterator[Chart]:
    """Yield the charts that have something to show; all of it stands in the page's tables too."""
    if report.baseline_system is None:
        return
    for unit, rows in interval_rows(report).items():
        title = f"Change of each metric, {unit}"
        yield Chart(
            title,
            "Dot and line: change with its 95 % interval. Gold: allowed drop. "
            "Grey: smallest drop that would show.",
            drawings.intervals(rows, title),
        )
    yield from _of_samples(report)
    if rows := rank_rows(report):
        title = "Ranks of expected documents"
        how = "Of changed questions; the number counts documents."
        yield Chart(title, how, drawings.ranks(rows, title))
    if rows := spent_rows(report.decision.metrics):
        title = "Cost and time"
        yield Chart(title, "Before and now.", drawings.bars(rows, title))


def _of_samples(report: Report) -> Iterator[Chart]:
    moved = moved_metrics(report)
    for metric in moved[:MOST_DRAWN]:
        rows = scatter_rows(report, metric)
        unmoved = unmoved_rows(report.details, metric.metric)
        still = sum(row["count"] for row in unmoved)
        ends = [value for _, before, now in moves(report, metric) for value in (before, now)]
        ends += [row["at"] for row in unmoved]
        name = one_line(metric.metric, 60)
        if set(ends) <= {0.0, 1.0}:
            title = f"{name}, questions"
            how = "What became of a score that is 0 or 1."
            rows = flip_rows(report, metric, unmoved)
            yield Chart(title, how, drawings.bars(rows, title))
            continue
        kept = f" Grey: {counted(still, 'question')} that did not move." if still else ""
        title = f"{name}, question by question"
        yield Chart(
            title,
            f"Below the line: lower than before. A point leads to its question.{kept}",
            drawings.scatter(rows, unmoved, ends, title),
        )


# What the charts draw, as rows of numbers and short names; no text becomes a field's name.


MOST_METRICS = 12
MOST_DRAWN = 2  # metrics with a scatter of their own
MOST_POINTS = 600
_SPREAD = 0.04  # of the axis: points of one place are drawn beside each other
_STEPS = (0.7548777, 0.5698403)  # of a sequence that fills a square evenly (Roberts, R2)
_SPENT_UNITS = frozenset({"seconds", "tokens", "dollars"})


def interval_rows(report: Report) -> dict[str, Rows]:
    """Return by unit the change of each compared metric with its interval and its limits."""
    by_unit: dict[str, Rows] = {}
    for row in ordered(report.decision.metrics):
        if row.change is None or row.aggregate or (row.unit in _SPENT_UNITS and not row.interval):
            continue
        scale = 100 if row.unit == "fraction" else 1
        down = -scale if row.direction is Direction.HIGHER else scale
        low, high = row.interval or (row.change, row.change)
        rows = by_unit.setdefault("points" if row.unit == "fraction" else row.unit, [])
        rows.append(
            {
                "metric": one_line(row.metric, 40),
                "change": scale * row.change,
                "low": scale * low,
                "high": scale * high,
                "allowed": None if row.allowed is None else down * row.allowed,
                "visible": None if (least := visible_from(row)) is None else down * least,
                "levels": f"{numbers.value(row.unit, row.baseline)} → "
                f"{numbers.value(row.unit, row.candidate)}",
                "tone": tone(row),
            }
        )
    return {unit: rows[:MOST_METRICS] for unit, rows in by_unit.items()}


def moved_metrics(report: Report) -> list[MetricRow]:
    """Return the metrics on which samples moved, what blocks first, then by how many moved."""
    moves = Counter(
        change.metric
        for row in report.samples
        for change in row.scores
        if None not in (change.before, change.after) and change.before != change.after
    )
    rows = [row for row in ordered(report.decision.metrics) if moves[row.metric]]
    return sorted(rows, key=lambda row: (not row.blocks, -moves[row.metric]))


def scatter_rows(report: Report, metric: MetricRow) -> Rows:
    """Return one row for each sample that moved: both scores, and the link to it in this page."""
    points = list(moves(report, metric))[:MOST_POINTS]
    ends = [value for _, before, now in points for value in (before, now)]
    width = max(ends, default=1.0) - min(ends, default=0.0)
    return [
        {
            "before": before + _jitter(place, _STEPS[0]) * width,
            "now": now + _jitter(place, _STEPS[1]) * width,
            "link": f"#s{place}",
            "name": f"{one_line(report.samples[place].sample_id, 60)}: {before:.3g} → {now:.3g}",
            "tone": _side(now - before, metric),
        }
        for place, before, now in points
    ]


def flip_rows(report: Report, metric: MetricRow, unmoved: Rows) -> Rows:
    """Return how many samples fell, rose or stayed, of a metric whose scores are 0 or 1."""
    counts = Counter(_side(now - before, metric) for _, before, now in moves(report, metric))
    bars = [(name, counts[name]) for name in ("worse", "better")]
    bars += [(f"stayed {row['at']:g}", row["count"]) for row in unmoved]
    return [
        {"metric": "", "side": name, "value": count, "figure": f"{count:,}"} for name, count in bars
    ]


def _jitter(place: int, step: float) -> float:
    return _SPREAD * (2 * ((place * step) % 1) - 1)


def unmoved_rows(details: RunDetails | None, metric: str) -> Rows:
    """Return how many samples stayed at each score; none where the scores are not known."""
    if details is None or metric not in details.metrics:
        return []
    place = details.metrics.index(metric)
    counts = Counter(
        round(now, 2)
        for each in details.samples
        if (now := each.after[place]) is not None and now == each.before[place]
    )
    return [{"at": at, "count": count} for at, count in sorted(counts.items())]


def moves(report: Report, metric: MetricRow) -> Iterator[tuple[int, float, float]]:
    """Yield the samples that moved on a metric: place in the report, both scores."""
    for place, row in enumerate(report.samples):
        for change in row.scores:
            if change.metric != metric.metric or change.before is None or change.after is None:
                continue
            if change.before != change.after:
                yield place, change.before, change.after


def _side(change: float, metric: MetricRow) -> str:
    gain = change if metric.direction is Direction.HIGHER else -change
    return "better" if gain > 0 else "worse"


def rank_rows(report: Report) -> Rows:
    """Return how many expected documents went from which rank to which, of changed samples."""
    changes = [change for row in report.samples if row.baseline for change in row.ranks]
    counts = Counter((_band(each.before), _band(each.after)) for each in changes)
    tones = {(_band(each.before), _band(each.after)): _rank_tone(each) for each in changes}
    return [
        {"before": before, "now": now, "count": count, "tone": tones[before, now]}
        for (before, now), count in counts.items()
    ]


def _band(rank: int | None) -> str:
    if rank is None:
        return "none"
    if rank <= 3:
        return str(rank)
    return "4–5" if rank <= 5 else "6–10" if rank <= 10 else "11+"


def _rank_tone(change: RankChange) -> str:
    if _band(change.before) == _band(change.after):
        return "calm"
    before, after = (rank or float("inf") for rank in (change.before, change.after))
    return "better" if after < before else "worse"


def spent_rows(rows: Sequence[MetricRow]) -> Rows:
    """Return what the two sides took, for each metric of time, tokens or money."""
    return [
        {
            "metric": one_line(row.metric, 40),
            "side": side,
            "value": value,
            "figure": numbers.value(row.unit, value),
        }
        for row in rows
        if row.unit in _SPENT_UNITS and row.candidate is not None
        for side, value in (("before", row.baseline), ("now", row.candidate))
        if value is not None
    ]


# The mean change of every metric on the questions of every tag, as a table of tones.


MOST_TAGS, _MOST_COLUMNS = 20, 10
_TINTS = (0.005, 0.02, 0.05, 0.1, 0.2)  # from where on a tint is stronger


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
        (place, 1 if rows[name].direction is Direction.HIGHER else -1)
        for place, name in enumerate(details.metrics)
        if name in rows
    ][:_MOST_COLUMNS]
    lines = []
    for tag, samples in _by_tag(details).items():
        gains = [_gains(samples, place, way) for place, way in columns]
        cells = [_cell(each, way) for each, (_, way) in zip(gains, columns, strict=True)]
        lines.append((round(sum(map(sum, gains)), 9), -len(samples), tag, cells))
    if not lines or not columns:
        return None
    lines.sort(key=lambda line: line[:3])
    shown = [(one_line(tag, 60), -count, cells) for _, count, tag, cells in lines[:MOST_TAGS]]
    names = [one_line(details.metrics[place], 60) for place, _ in columns]
    return HeatTable(names, shown, len(lines) - len(shown))


def _by_tag(details: RunDetails) -> dict[str, list[SampleScores]]:
    by_tag: dict[str, list[SampleScores]] = {}
    for scores in details.samples:
        for tag in dict.fromkeys(scores.tags):
            by_tag.setdefault(tag, []).append(scores)
    return by_tag


def _gains(samples: Sequence[SampleScores], place: int, way: int) -> list[float]:
    """Return how much better each sample is by one metric that has a score on both sides.

    Args:
        way: 1 where higher is better, else -1.
    """
    pairs = ((each.before[place], each.after[place]) for each in samples)
    return [way * (new - old) for old, new in pairs if old is not None and new is not None]


def _cell(gains: list[float], way: int) -> HeatCell:
    if not gains:
        return HeatCell(NOTHING, "none", 0)
    gain = sum(gains) / len(gains)
    size = sum(abs(gain) >= step for step in _TINTS)
    tone = f"{'worse' if gain < 0 else 'better'}-{size}" if size else "calm"
    return HeatCell(numbers.change("fraction", way * gain), tone, len(gains))
