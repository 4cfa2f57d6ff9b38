"""What moved, in the words of line 1."""

from collections.abc import Sequence

from ragate.core.rules.checked_metric import without_counts
from ragate.models import Direction, MetricRow, MetricVerdict, Report, SliceRow
from ragate.renderers._numbers import Numbers, counted
from ragate.renderers._words import Name, Words, joined, metric_words, named


def first_move(row: MetricRow, numbers: Numbers, brief: bool) -> Words:
    """Return ``mrr −6.5 points (fell on 17 questions, rose on 4)``: that metric's own counts."""
    words = _move(row, numbers)
    worse, better = ("fell", "rose") if row.direction is Direction.HIGHER else ("rose", "fell")
    pair = [(row.worse, worse), (row.better, better)]
    if row.verdict is MetricVerdict.IMPROVED:
        pair.reverse()
    counts = [(count, word) for count, word in pair if count]
    if not counts or brief:
        return words
    (count, word), *second = counts
    behind = [f"{word} on {counted(count, numbers.noun)}", *(f"{w} on {n:,}" for n, w in second)]
    return [*words, f" ({', '.join(behind)})"]


def moves(rows: Sequence[MetricRow], numbers: Numbers, brief: bool) -> Words:
    """Name the first change, with the samples behind it, and count the others."""
    words = first_move(rows[0], numbers, brief)
    return [*words, f" and {len(rows) - 1} more"] if len(rows) > 1 else words


def _move(row: MetricRow, numbers: Numbers) -> Words:
    """Return ``mrr −6.5 points``, or of a slice ``billing −12.0 points in mrr``."""
    moved = f" {numbers.points(row.unit, row.change)}"
    if isinstance(row, SliceRow):
        return [Name(row.slice), f"{moved} in ", *metric_words(row)]
    return [*metric_words(row), moved]


def floor(row: MetricRow, numbers: Numbers) -> Words:
    """Return ``faithfulness 84.5 %, the policy demands 85.0 %``."""
    verb = "demands" if row.direction is Direction.HIGHER else "allows"
    limit = numbers.value(row.unit, row.floor.limit if row.floor else None)
    return [
        *(metric_words(row) if row.key == row.metric else [Name(row.key)]),
        f" {numbers.value(row.unit, row.candidate)}, the policy {verb} {limit}",
    ]


def unsure_words(report: Report, rows: Sequence[MetricRow], numbers: Numbers) -> Words:
    """Return what a set of this size can show, and which rises are not proven."""
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


def unsure_slice_words(rows: Sequence[SliceRow], numbers: Numbers) -> str:
    """Return ``1 gated slice: no drop shown, only drops from 31.2 points show``."""
    start = f"{counted(len(rows), 'gated slice')}: no drop shown"
    limits = [row for row in rows if row.mde is not None]
    if not limits:
        return f"{start}, too few {numbers.noun}s to show one"
    widest = max(limits, key=lambda row: row.mde or 0.0)
    return f"{start}, only drops from {numbers.size(widest.unit, widest.mde or 0.0)} show"


def _is_rise(row: MetricRow) -> bool:
    """Whether a row is of what an answer takes: held against a limit that noise may exceed."""
    return row.aggregate or (row.limit is not None and not row.exact)


def _unseen(report: Report, rows: Sequence[MetricRow], numbers: Numbers) -> Words:
    this_set = counted(report.facts.samples, numbers.noun)
    limits = [row for row in without_counts(rows) if row.mde is not None]
    if not limits:
        return [f"no proven drop, and {this_set} can hardly prove one"]
    widest = max(limits, key=lambda row: row.mde or 0.0)
    size = numbers.size(widest.unit, widest.mde or 0.0)
    return [f"no proven drop; {this_set} cannot tell a drop below {size} from luck"]
