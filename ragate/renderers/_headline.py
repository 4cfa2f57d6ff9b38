"""Line 1 of every report, and its sign: the verdict, its size, and whether it blocks."""

from collections.abc import Sequence
from enum import Enum

from ragate.core.rules.checked_metric import without_counts
from ragate.core.text.wording import odds
from ragate.models import Direction, MetricRow, MetricVerdict, Report, SliceRow, Verdict
from ragate.renderers._numbers import Numbers, counted
from ragate.renderers._samples import worse_count
from ragate.renderers._words import (
    ForeignText,
    Name,
    Words,
    below_floor,
    fell,
    joined,
    metric_words,
    named,
    not_proven,
    ordered,
    unsure_slices,
    wants_a_look,
)
from ragate.support.escape import one_line

MOST_CHARS = 106  # with sign and blank at most 110: one line of a comment
_SHORTER = (24, 12, 8)


def headline(report: Report, numbers: Numbers) -> Words:
    """Return line 1: the gate, the one thing that happened, and whether it blocks.

    It has at most `MOST_CHARS` characters: nouns of counts go, then figures beside the
    first, then names are cut.
    """
    start: Words = [Name(report.gate), ", part of the set: " if report.partial else ": "]
    words = [*start, *verdict_words(report, numbers)]
    if _length(words) > MOST_CHARS:  # "(fell on 17, rose on 4)"
        words = [_without(word, f" {numbers.noun}s, ") for word in words]
    if _length(words) > MOST_CHARS:
        start = [Name(report.gate), " (part): " if report.partial else ": "]
        words = [*start, *verdict_words(report, numbers, brief=True)]
    for longest in _SHORTER:
        if _length(words) > MOST_CHARS:
            words = [_cut(word, longest) for word in words]
    return words


def verdict_words(report: Report, numbers: Numbers, *, brief: bool = False) -> Words:
    """Return line 1 without the gate.

    Args:
        brief: Without counts, for long names.
    """
    sentence = {
        ReportSign.RED: _red,
        ReportSign.NO_DECISION: _no_decision,
        ReportSign.BOOTSTRAP: _bootstrap,
        ReportSign.LOOK: _look,
        ReportSign.BETTER: _better,
        ReportSign.HELD: _held,
        ReportSign.UNCHANGED: _unchanged,
    }[status_of(report)]
    return sentence(report, numbers, brief)


def _length(words: Words) -> int:
    return sum(len(one_line(word, 60) if isinstance(word, Name) else word) for word in words)


def _without(word: str, noun: str) -> str:
    return word if isinstance(word, ForeignText) else word.replace(noun, ", ")


def _cut(word: str, longest: int) -> str:
    return Name(one_line(word, longest)) if isinstance(word, Name) else word


def _red(report: Report, numbers: Numbers, brief: bool) -> Words:
    rows = [row for row in _metrics_then_slices(report) if row.blocks]
    worse = [row for row in rows if row.verdict is MetricVerdict.REGRESSED]
    floors = [row for row in rows if row not in worse and below_floor(row)]
    failing = dict.fromkeys(row.sample_id for row in report.decision.must_pass if row.is_red)
    start = [] if brief else ["worse: "]
    happened: list[Words] = [[*start, *first_move(row, numbers, brief)] for row in worse]
    happened += [floor(row, numbers) for row in floors]
    more = f" and {counted(len(happened) - 1, 'more metric')}" if len(happened) > 1 else ""
    shown: list[Words] = [[*words, more] for words in happened[:1]]
    if failing:
        shown.append(_must_pass(list(failing), numbers))
    return [*joined(shown or [["failed"]], "; "), " · blocks"]


def _must_pass(ids: Sequence[str], numbers: Numbers) -> Words:
    if len(ids) == 1:
        return ["must-pass ", Name(ids[0]), " fails"]
    return [f"{len(ids):,} must-pass {numbers.noun}s fail"]


def _metrics_then_slices(report: Report) -> list[MetricRow]:
    return [*ordered(report.decision.metrics), *ordered(report.decision.slices)]


def _no_decision(report: Report, _numbers: Numbers, brief: bool) -> Words:
    rows = [row for row in ordered(report.decision.metrics) if row.gates]
    unlike = [row for row in rows if row.verdict is MetricVerdict.NOT_COMPARABLE]
    missing = [row for row in rows if row.verdict is MetricVerdict.NOT_MEASURED]
    clauses: list[Words] = []
    if missing:
        verb = " was not measured" if len(missing) == 1 else " were not measured"
        clauses.append([*_metric_names(missing, brief), verb])
    if unlike:
        clauses.append([*_metric_names(unlike, brief), " cannot be compared with the baseline"])
    if not clauses and report.baseline_system is None:
        clauses.append(["there is no baseline to compare with"])
    return [
        "no decision: ",
        *joined(clauses[: 1 if brief else 2] or [_reason(report.decision.reasons, brief)], "; "),
        " · blocks",
    ]


def _reason(reasons: Sequence[str], brief: bool) -> Words:
    """Return the first reason, cut to what a line holds: all stand below in full."""
    if not reasons:
        return ["nothing could be decided"]
    return [ForeignText(one_line(reasons[0], 24 if brief else 56))]


def _bootstrap(_report: Report, _numbers: Numbers, _brief: bool) -> Words:
    return ["measured, not compared: the base has no baseline yet · does not block"]


def _look(report: Report, numbers: Numbers, brief: bool) -> Words:
    rows, of_all = _metrics_then_slices(report), ordered(report.decision.metrics)
    gated = [row for row in rows if row.gates]
    unsure = [row for row in of_all if row in gated and row.verdict is MetricVerdict.CANNOT_TELL]
    better = [row for row in of_all if row.verdict is MetricVerdict.IMPROVED]
    worse_here = [row for row in gated if row.verdict is MetricVerdict.WORSE_HERE]
    taken = [row for row in rows if row.accepted]
    named_rows = (*unsure, *worse_here, *taken)
    unnamed = [row for row in rows if wants_a_look(row) and row not in named_rows]
    clauses: list[Words] = []
    if slices := unsure_slices(report.decision):
        clauses.append([unsure_slice_words(slices, numbers)])
    if taken:
        clauses.append(["worse, and accepted: ", *moves(taken, numbers, brief)])
    if worse_here:
        tail = f" on these {numbers.noun}s alone"
        clauses.append(["worse: ", *moves(worse_here, numbers, True), tail])
    if unsure:
        clauses.append(unsure_words(report, unsure, numbers, brief))
    if unnamed:
        clauses.append(["look at ", *_metric_names(unnamed, brief)])
    if better:
        clauses.append(["better: ", *moves(better, numbers, brief)])
    shown = joined(clauses[:1] if brief else clauses[:2], "; ")
    return [*shown, " · does not block"]


def _better(report: Report, numbers: Numbers, brief: bool) -> Words:
    rows = ordered(report.decision.metrics)
    better = [row for row in rows if row.verdict is MetricVerdict.IMPROVED]
    gated = [row for row in rows if row.gates and row not in better]
    tail: Words = []
    if gated:
        tail = ["; the rest held" if any(map(fell, gated)) else "; no metric dropped"]
    return ["better: ", *moves(better, numbers, brief), *tail]


def _held(report: Report, numbers: Numbers, brief: bool) -> Words:
    rows = [row for row in report.decision.metrics if row.gates and not row.aggregate]
    held = [row for row in rows if row.verdict in (MetricVerdict.HELD, MetricVerdict.UNCHANGED)]
    gating = [row for row in report.decision.slices if row.gates and not row.too_few]
    if gating and not rows:
        return [f"no drop in {counted(len(gating), 'gated slice')}"]
    better = sum(row.change == "better" for row in report.samples)
    worse = worse_count(report)
    moved = (
        f" (a score fell on {counted(worse, numbers.noun)}, rose on {better:,})"
        if (better or worse) and not brief
        else ""
    )
    metrics = counted(len(held), "gated metric")
    if any(map(not_proven, held)):
        return [f"no proven drop in {metrics}{moved}"]
    return [f"no regression: {metrics} held{moved}"]


def _unchanged(report: Report, numbers: Numbers, brief: bool) -> Words:
    samples = counted(report.facts.samples, numbers.noun)
    if report.data.added:  # these were compared with nothing
        samples = f"the {counted(report.data.matched, f'compared {numbers.noun}')}"
    if report.facts.affected == 0:
        why = "" if brief else ": the change touches nothing that they read"
        return [f"unchanged, 0 of {samples} affected{why}"]
    return [f"unchanged: no score of {samples} moved"]


def _metric_names(rows: Sequence[MetricRow], brief: bool) -> Words:
    if brief and len(rows) > 1:
        return [f"{len(rows)} metrics"]
    return named([[Name(row.key)] for row in rows])


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


def unsure_words(
    report: Report, rows: Sequence[MetricRow], numbers: Numbers, brief: bool = False
) -> Words:
    """Return what a set of this size can show, and which rises are not proven."""
    rises = [row for row in rows if _is_rise(row)]
    falls = [row for row in rows if row.is_large_fall]
    drops = [row for row in rows if row not in rises]
    clauses: list[Words] = []
    if falls:
        clauses.append(["CANNOT TELL: ", *moves(falls, numbers, True), f"; {_by_luck(falls[0])}"])
    elif drops:
        clauses.append(_unseen(report, drops, numbers, brief))
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


def _by_luck(row: MetricRow) -> str:
    return f"luck does that {odds(1.0 if row.p is None else row.p)}"


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


def _unseen(report: Report, rows: Sequence[MetricRow], numbers: Numbers, brief: bool) -> Words:
    """Return what is too small to show, metric by metric; `brief` names the widest alone."""
    this_set = counted(report.facts.samples, numbers.noun)
    limits = [row for row in without_counts(rows) if row.mde is not None]
    if not limits:
        return [f"no proven drop, and {this_set} can hardly prove one"]
    limits.sort(key=lambda row: -(row.mde or 0.0))
    sizes = [numbers.size(row.unit, row.mde or 0.0) for row in limits]
    certain = any(row.is_certain and row.gates for row in report.decision.metrics)
    if brief or not (certain or limits[1:]):
        return [f"with {this_set}, only drops of {sizes[0]} or more can be told from chance"]
    each: list[Words] = [
        [f"{size} in ", Name(row.key)] for size, row in zip(sizes, limits, strict=True)
    ]
    rest = ["; the others show every change"] if certain else []
    start, end = f"with {this_set}, only drops of ", " or more can be told from chance"
    return [start, *joined(each, ", "), end, *rest]


class ReportSign(Enum):
    """What the reader sees first: a sign, and whether it asks for something."""

    BETTER = "better"
    HELD = "held"
    UNCHANGED = "unchanged"
    LOOK = "look"
    RED = "red"
    NO_DECISION = "no decision"
    BOOTSTRAP = "bootstrap"


# The metric table does not say why there is no verdict, so the reasons stand above it.
TELLS_WHY = (ReportSign.NO_DECISION, ReportSign.BOOTSTRAP)
# What nothing was measured for has not moved either; where it gates, there is no decision at all.
STILL = {
    MetricVerdict.UNCHANGED,
    MetricVerdict.SHOWN,
    MetricVerdict.NOT_MEASURED,
    MetricVerdict.NOT_COMPARABLE,
}
ICONS = {
    ReportSign.BETTER: "✅",
    ReportSign.HELD: "✅",
    ReportSign.UNCHANGED: "✅",
    ReportSign.LOOK: "🟡",
    ReportSign.RED: "❌",
    ReportSign.NO_DECISION: "⏸️",
    ReportSign.BOOTSTRAP: "👋",
}


def status_of(report: Report) -> ReportSign:
    """Return the sign of the report."""
    fixed = {
        Verdict.FAILED: ReportSign.RED,
        Verdict.NO_DECISION: ReportSign.NO_DECISION,
        Verdict.BOOTSTRAP: ReportSign.BOOTSTRAP,
    }.get(report.decision.verdict)
    if fixed is not None:
        return fixed
    if any(wants_a_look(row) for row in report.decision.rows if row.level != "off"):
        return ReportSign.LOOK
    if unsure_slices(report.decision):
        return ReportSign.LOOK
    rows = [row for row in report.decision.metrics if row.level != "off"]
    verdicts = {row.verdict for row in rows}
    if any(row.verdict is MetricVerdict.IMPROVED and row.better >= row.worse for row in rows):
        return ReportSign.BETTER
    if verdicts <= STILL:
        return ReportSign.UNCHANGED
    return ReportSign.HELD


def is_unaffected(report: Report) -> bool:
    """Whether a change did nothing that a reader has to hear of.

    What was low in the baseline already is a look on every change, and no news where this one
    reaches no sample and brings no rules or samples of its own.
    """
    if status_of(report) is ReportSign.UNCHANGED:
        return True
    data = report.data
    has_own = report.proposed is not None or data.added or data.removed or data.renamed
    is_plain = report.decision.verdict is Verdict.PASSED and not report.decision.accepted
    return is_plain and report.facts.affected == 0 and not has_own and not report.samples
