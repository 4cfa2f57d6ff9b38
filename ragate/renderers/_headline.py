"""Line 1 of every report: the verdict, its size, and whether it blocks."""

from collections.abc import Sequence

from ragate.core.rules.checked_metric import without_counts
from ragate.models import Direction, MetricRow, MetricVerdict, Report, SliceRow
from ragate.renderers._numbers import Numbers, counted
from ragate.renderers._status import ReportSign, status_of
from ragate.renderers._words import (
    Name,
    Words,
    below_floor,
    floor_text,
    joined,
    metric_words,
    named,
    ordered,
    wants_a_look,
)


def headline(report: Report, numbers: Numbers) -> Words:
    """Return line 1: the gate, the verdict with its size, and whether it blocks."""
    words: Words = [Name(report.gate)]
    words.append(", part of the set: " if report.partial else ": ")
    sentence = {
        ReportSign.RED: _red,
        ReportSign.NO_DECISION: _no_decision,
        ReportSign.BOOTSTRAP: _bootstrap,
        ReportSign.LOOK: _look,
        ReportSign.BETTER: _better,
        ReportSign.HELD: _held,
        ReportSign.UNCHANGED: _unchanged,
    }[status_of(report)]
    return words + sentence(report, numbers)


def _red(report: Report, numbers: Numbers) -> Words:
    rows = [row for row in _metrics_then_slices(report) if row.blocks]
    worse = [row for row in rows if row.verdict is MetricVerdict.REGRESSED]
    floors = [row for row in rows if row not in worse and below_floor(row)]
    failing = [row for row in report.decision.must_pass if row.is_red]
    clauses: list[Words] = []
    if worse:
        clauses.append(["worse: ", *_moves(worse, numbers)])
    if floors:
        clauses.append(["beyond its limit: ", *named([_floor(row, numbers) for row in floors])])
    if failing:
        ids = list(dict.fromkeys(row.sample_id for row in failing))
        noun = f"must-pass {numbers.noun}"
        verb = "fails" if len(ids) == 1 else "fail"
        shown = named([[Name(sample_id)] for sample_id in ids])
        clauses.append([f"{counted(len(ids), noun)} {verb}: ", *shown])
    return [*joined(clauses or [["failed"]], "; "), " · blocks"]


def _moves(rows: Sequence[MetricRow], numbers: Numbers) -> Words:
    """Name the changes, and for the first one how many samples are behind it."""
    items = [_move(row, numbers) for row in rows]
    row = rows[0]
    pair = [(row.worse, "worse"), (row.better, "better")]
    if row.verdict is MetricVerdict.IMPROVED:
        pair.reverse()
    counts = [(count, word) for count, word in pair if count]
    if counts:
        (count, word), *second = counts
        words = [f"{counted(count, numbers.noun)} {word}", *(f"{n:,} {word}" for n, word in second)]
        items[0].append(f" ({', '.join(words)})")
    return named(items)


def _move(row: MetricRow, numbers: Numbers) -> Words:
    """Return ``mrr −6.5 points``, or of a slice ``billing −12.0 points in mrr``."""
    moved = f" {numbers.points(row.unit, row.change)}"
    if isinstance(row, SliceRow):
        return [Name(row.slice), f"{moved} in ", *metric_words(row)]
    return [*metric_words(row), moved]


def _metrics_then_slices(report: Report) -> list[MetricRow]:
    return [*ordered(report.decision.metrics), *ordered(report.decision.slices)]


def _floor(row: MetricRow, numbers: Numbers) -> Words:
    return [
        *(metric_words(row) if row.key == row.metric else [Name(row.key)]),
        f" {numbers.value(row.unit, row.candidate)} ({floor_text(row, numbers)})",
    ]


def _no_decision(report: Report, _numbers: Numbers) -> Words:
    rows = [row for row in ordered(report.decision.metrics) if row.level == "error"]
    unlike = [row for row in rows if row.verdict is MetricVerdict.NOT_COMPARABLE]
    missing = [row for row in rows if row.verdict is MetricVerdict.NOT_MEASURED]
    clauses: list[Words] = []
    if missing:
        verb = " was not measured" if len(missing) == 1 else " were not measured"
        clauses.append([*_metric_names(missing), verb])
    if unlike:
        clauses.append([*_metric_names(unlike), " cannot be compared with the baseline"])
    if not clauses and report.baseline_system is None:
        clauses.append(["there is no baseline to compare with"])
    return [
        "no decision: ",
        *joined(clauses or [["see why below"]], "; "),
        " · blocks",
    ]


def _bootstrap(_report: Report, _numbers: Numbers) -> Words:
    return ["measured, not compared: the base has no baseline yet · does not block"]


def _look(report: Report, numbers: Numbers) -> Words:
    rows, of_all = _metrics_then_slices(report), ordered(report.decision.metrics)
    gated = [row for row in rows if row.level == "error"]
    unsure = [row for row in of_all if row in gated and row.verdict is MetricVerdict.CANNOT_TELL]
    better = [row for row in of_all if row.verdict is MetricVerdict.IMPROVED]
    worse_here = [row for row in gated if row.verdict is MetricVerdict.WORSE_HERE]
    taken = [row for row in rows if row.accepted]
    named_rows = (*unsure, *worse_here, *taken)
    unnamed = [row for row in rows if wants_a_look(row) and row not in named_rows]
    clauses: list[Words] = []
    if taken:
        clauses.append(["worse, and accepted by a maintainer: ", *_moves(taken, numbers)])
    if better:
        clauses.append(["better: ", *_moves(better, numbers)])
    if worse_here:
        tail = f" on these {numbers.noun}s, not proven for fresh ones"
        clauses.append(["worse: ", *_moves(worse_here, numbers), tail])
    if unsure:
        clauses.append(_unsure(report, unsure, numbers))
    if unnamed:
        clauses.append(["look at ", *_metric_names(unnamed)])
    return [*joined(clauses, "; "), " · does not block"]


def _unsure(report: Report, rows: Sequence[MetricRow], numbers: Numbers) -> Words:
    rises = [row for row in rows if _is_rise(row)]
    drops = [row for row in rows if row not in rises]
    clauses: list[Words] = [_unseen(report, drops, numbers)] if drops else []
    if rises:
        named_rises: list[Words] = [
            [
                Name(row.metric),
                *([] if row.aggregate else [f" {numbers.points(row.unit, row.change)}"]),
            ]
            for row in rises
        ]
        clauses.append(["more than is allowed, not proven: ", *named(named_rises)])
    return joined(clauses, "; ")


def _is_rise(row: MetricRow) -> bool:
    """Whether a row is of what an answer takes: held against a limit that noise may exceed."""
    return row.aggregate or (row.limit is not None and not row.exact)


def _unseen(report: Report, rows: Sequence[MetricRow], numbers: Numbers) -> Words:
    this_set = f"these {counted(report.facts.samples, numbers.noun)}"
    limits = [row for row in without_counts(rows) if row.mde is not None]
    if not limits:
        return [f"no regression shown, but {this_set} can hardly show one"]
    widest = max(limits, key=lambda row: row.mde or 0.0)
    size = numbers.size(widest.unit, widest.mde or 0.0)
    return [f"no regression shown, but {this_set} can only show drops of {size} or more"]


def _better(report: Report, numbers: Numbers) -> Words:
    rows = ordered(report.decision.metrics)
    better = [row for row in rows if row.verdict is MetricVerdict.IMPROVED]
    gated = [row for row in rows if row.level == "error" and row not in better]
    tail: Words = []
    if gated:
        tail = ["; the rest held" if any(map(_fell, gated)) else "; nothing else dropped"]
    return ["better: ", *_moves(better, numbers), *tail]


def _fell(row: MetricRow) -> bool:
    change = row.change or 0.0
    return change < 0 if row.direction is Direction.HIGHER else change > 0


def _held(report: Report, numbers: Numbers) -> Words:
    rows = [row for row in report.decision.metrics if row.level == "error" and not row.aggregate]
    held = [row for row in rows if row.verdict in (MetricVerdict.HELD, MetricVerdict.UNCHANGED)]
    better, worse = (sum(s.change == side for s in report.samples) for side in ("better", "worse"))
    moved = f" ({counted(worse, numbers.noun)} worse, {better:,} better)" if better or worse else ""
    return [f"no regression: {counted(len(held), 'gated metric')} held{moved}"]


def _unchanged(report: Report, numbers: Numbers) -> Words:
    facts = report.facts
    if facts.affected == 0:
        return [f"unchanged, 0 of {counted(facts.samples, numbers.noun)} affected"]
    return [f"unchanged: no score of {counted(facts.samples, numbers.noun)} moved"]


def _metric_names(rows: Sequence[MetricRow]) -> Words:
    return named([[Name(row.key)] for row in rows])
