"""Line 1 of every report: the verdict, its size, and whether it blocks."""

from collections.abc import Sequence

from ragate.models import MetricRow, MetricVerdict, Report
from ragate.renderers._moves import first_move, floor, moves, unsure_slice_words, unsure_words
from ragate.renderers._numbers import Numbers, counted
from ragate.renderers._status import ReportSign, status_of
from ragate.renderers._words import (
    ForeignText,
    Name,
    Words,
    below_floor,
    fell,
    joined,
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
    rows = [row for row in ordered(report.decision.metrics) if row.level == "error"]
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
    gated = [row for row in rows if row.level == "error"]
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
        clauses.append(unsure_words(report, unsure, numbers))
    if unnamed:
        clauses.append(["look at ", *_metric_names(unnamed, brief)])
    if better:
        clauses.append(["better: ", *moves(better, numbers, brief)])
    shown = joined(clauses[:1] if brief else clauses[:2], "; ")
    return [*shown, " · does not block"]


def _better(report: Report, numbers: Numbers, brief: bool) -> Words:
    rows = ordered(report.decision.metrics)
    better = [row for row in rows if row.verdict is MetricVerdict.IMPROVED]
    gated = [row for row in rows if row.level == "error" and row not in better]
    tail: Words = []
    if gated:
        tail = ["; the rest held" if any(map(fell, gated)) else "; no metric dropped"]
    return ["better: ", *moves(better, numbers, brief), *tail]


def _held(report: Report, numbers: Numbers, brief: bool) -> Words:
    rows = [row for row in report.decision.metrics if row.level == "error" and not row.aggregate]
    held = [row for row in rows if row.verdict in (MetricVerdict.HELD, MetricVerdict.UNCHANGED)]
    gating = [row for row in report.decision.slices if row.level == "error" and not row.too_few]
    if gating and not rows:
        return [f"no drop in {counted(len(gating), 'gated slice')}"]
    better, worse = (sum(s.change == side for s in report.samples) for side in ("better", "worse"))
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
