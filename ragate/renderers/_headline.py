"""Line 1 of every report, and its sign: what happened, by meaning, and whether it blocks.

What happened is a list of events, the one that means most in front: what did not run, answers that
became refusals, documents that were lost, the policy's metrics by the size of their harm, floors,
must-pass questions. The line takes as many as it holds.
"""

from collections.abc import Sequence
from enum import Enum

from ragate.guards.escape import one_line
from ragate.models import CauseKind, MetricRow, MetricVerdict, Report, Verdict
from ragate.renderers import _numbers as numbers
from ragate.renderers._events import (
    better_and_worse,
    came_words,
    did_not_run,
    empty_words,
    first_name,
    first_reason,
    floor,
    is_rise,
    metrics_then_slices,
    more,
    moves,
    must_pass_fails,
    not_judged,
    what_broke,
    within_noise,
)
from ragate.renderers._numbers import counted
from ragate.renderers._words import (
    ForeignText,
    Name,
    VerdictWord,
    Words,
    below_floor,
    fell,
    foreign,
    joined,
    not_proven,
    ordered,
    shortened,
    unsure_slices,
    wants_a_look,
    widest_fall,
)

MOST_CHARS = 106  # with sign and blank at most 110: one line of a comment
_SHORTER = (24, 12, 8)
_LEAST = 20  # characters of an error that a cut leaves
BLOCKS = " · blocks the merge"
PASSES = " · does not block the merge"


def headline(report: Report) -> Words:
    """Return line 1: the gate, what happened, and whether it blocks.

    It has at most `MOST_CHARS` characters: the last events go, then what others wrote is cut, then
    asides go, then names are cut.
    """
    start: Words = [Name(report.gate), ", partial: " if report.partial else ": "]
    room = MOST_CHARS - _length(start)
    words = _fitted([*start, *verdict_words(report, room=room)])
    if _length(words) > MOST_CHARS:
        words = shortened(words)
    for longest in _SHORTER:
        if _length(words) > MOST_CHARS:
            words = [_cut(word, longest) for word in words]
    return words


def _fitted(words: Words) -> Words:
    """Cut the first text of others by what is too much, where enough of it is left."""
    excess = _length(words) - MOST_CHARS
    if excess <= 0:
        return words
    for place, word in enumerate(words):
        left = len(word) - excess
        if type(word) is ForeignText and left >= _LEAST:
            return [*words[:place], foreign(word, left), *words[place + 1 :]]
    return words


def verdict_words(report: Report, *, room: int = MOST_CHARS) -> Words:
    """Return line 1 without the gate: the first event, and of the others as many as there is room.

    Args:
        room: Characters for the events and whether they block.
    """
    end = _end_of(report)
    first, *others = _events(report)
    shown = [first]
    for event in others:
        for form in (event, shortened(event)):
            line = [*joined([*shown, form]), end]
            if _length(line) <= room:
                shown.append(form)
                break
    return [*joined(shown), end]


def _events(report: Report) -> list[Words]:
    """Return what happened, in the order of meaning; more documents stand behind the first."""
    first, *others = _EVENTS[status_of(report)](report)
    if report.story.came is None:
        return [first, *others]
    before, now = report.story.came
    return [first, came_words(report), *others] if before < now else [first, *others]


def _end_of(report: Report) -> str:
    if report.decision.exit_code:
        return BLOCKS
    return PASSES if status_of(report) in (ReportSign.LOOK, ReportSign.BOOTSTRAP) else ""


def _length(words: Words) -> int:
    return sum(len(one_line(word, 60) if isinstance(word, Name) else word) for word in words)


def _cut(word: str, longest: int) -> str:
    return Name(one_line(word, longest)) if isinstance(word, Name) else word


# The events of each kind of report, the one that means most in front.


def _red(report: Report) -> list[Words]:
    gated = [row for row in ordered(report.decision.metrics) if row.gates]
    failed = did_not_run(report)
    broken = what_broke(report)
    events = [*failed, *not_judged(gated), *broken]

    blocking = [row for row in metrics_then_slices(report) if row.blocks]
    regressed = [r for r in blocking if r.verdict is MetricVerdict.REGRESSED or r.unchecked]
    moved = regressed
    # Empty answers count as errors: their rate beside them reads as if something had raised.
    if failed or empty_words(report) in broken:
        moved = [row for row in regressed if row.metric != "error_rate"]
    if moved:
        events.append(moves(moved))

    floors = [row for row in blocking if row not in regressed and below_floor(row)]
    if floors:
        events.append([*floor(floors[0]), *more(floors)])
    failing = list(dict.fromkeys(row.sample_id for row in report.decision.must_pass if row.is_red))
    if failing:
        events.append(must_pass_fails(failing))
    by_generation = report.story.causes.get(CauseKind.GENERATION, 0)
    if regressed and not broken and by_generation > report.story.worse / 2:
        events.append(["same documents"])
    return events or [["failed"]]


def _no_decision(report: Report) -> list[Words]:
    failed = did_not_run(report)
    gated = [row for row in ordered(report.decision.metrics) if row.gates]
    events = list(failed) or not_judged(gated)
    unlike = [row for row in gated if row.verdict is MetricVerdict.NOT_COMPARABLE]
    if unlike:
        events.append(_not_comparable(unlike))
    if failed:
        return events
    first, *others = events or [first_reason(report.decision.reasons)]
    return [[VerdictWord("no decision: "), *first], *others]


def _not_comparable(rows: Sequence[MetricRow]) -> Words:
    return [*first_name(rows), " cannot be compared with the baseline"]


def _bootstrap(_report: Report) -> list[Words]:
    return [[VerdictWord("MEASURED: "), "no baseline yet"]]


def _look(report: Report) -> list[Words]:
    rows = metrics_then_slices(report)
    accepted = [row for row in rows if row.accepted]
    events = did_not_run(report)
    if accepted:
        events.append(["worse, and accepted: ", *moves(accepted)])
    events += what_broke(report)
    events += _to_look_at(report, accepted)
    if not events:
        events = _fell_widely(report)

    rose = _rose(report)
    if rose and not events and not any(map(fell, rows)):
        rose.append(["nothing fell"])
    return [*events, *rose] or [within_noise(report)]


def _to_look_at(report: Report, accepted: Sequence[MetricRow]) -> list[Words]:
    """Return what fell or cannot be judged without blocking, beside what was accepted."""
    rows = metrics_then_slices(report)
    worse_here = [row for row in rows if row.gates and row.verdict is MetricVerdict.WORSE_HERE]
    metrics = ordered(report.decision.metrics)
    unsure = [row for row in metrics if row.gates and row.verdict is MetricVerdict.CANNOT_TELL]
    rises = [row for row in unsure if is_rise(row)]
    falls = [row for row in unsure if fell(row) and not is_rise(row)]
    told = [*falls, *worse_here, *accepted]
    unchecked = [row for row in rows if row.unchecked and row not in told]
    told += [*unsure, *unchecked]
    others = [row for row in rows if wants_a_look(row) and row not in told]

    kinds: list[tuple[str, Sequence[MetricRow], str]] = [
        ("", worse_here, f" on these {numbers.NOUN}s alone"),
        ("", falls, ", may be chance"),
        ("", unchecked, ""),
        ("more than is allowed, not proven: ", rises, ""),
        ("", unsure_slices(report.decision), ", may be chance"),
    ]
    events = [[before, *shortened(moves(kind)), after] for before, kind, after in kinds if kind]
    if others:
        events.append(_only_warned(others))
    return events


def _fell_widely(report: Report) -> list[Words]:
    """Return what fell on many questions, but by no more than is allowed, or without gating."""
    row = widest_fall(report.decision)
    if row is None:
        return []
    limit = ", within what is allowed" if row.gates else ", does not gate"
    return [[*shortened(moves([row])), limit]]


def _rose(report: Report) -> list[Words]:
    """Return what got better: metrics, or beside questions that got worse how many did.

    Of scores that vary by themselves questions are not counted: each moves, and proves nothing.
    """
    rows = ordered(report.decision.metrics)
    improved = [row for row in rows if row.verdict is MetricVerdict.IMPROVED]
    has_better = any(row.change == "better" for row in report.samples)
    if improved and not (has_better and report.story.worse):
        return [["better: ", *moves(improved)]]
    scores_vary = any(row.gates and not row.exact for row in rows)
    if not has_better or (scores_vary and not improved):
        return []
    return [[better_and_worse(report)]]


def _only_warned(rows: Sequence[MetricRow]) -> Words:
    """Return what fell without gating, or what cannot be judged; the first with its size."""
    fallen = [row for row in rows if fell(row)]
    if fallen:
        return [*moves(fallen), ", warning only"]
    unlike = [row for row in rows if row.verdict is MetricVerdict.NOT_COMPARABLE]
    if unlike:
        return _not_comparable(unlike)
    return ["look at ", *first_name(rows)]


def _better(report: Report) -> list[Words]:
    rows = ordered(report.decision.metrics)
    improved = [row for row in rows if row.verdict is MetricVerdict.IMPROVED]
    first = shortened(moves(improved))
    if counts := better_and_worse(report):
        first = [f"{counts}: ", *first]
    others = [row for row in rows if row.gates and row not in improved]
    if not others:
        return [first]
    return [first, ["the rest unchanged" if any(map(fell, others)) else "no metric dropped"]]


def _held(report: Report) -> list[Words]:
    metrics = [row for row in report.decision.metrics if row.gates and not row.aggregate]
    slices = [row for row in report.decision.slices if row.gates and not row.too_few]
    events = [within_noise(report)]
    if slices and not metrics:
        events.append([f"no drop in {counted(len(slices), 'gated slice')}"])
    elif any(map(not_proven, metrics)):
        events.append([f"no proven drop in {counted(len(metrics), 'gated metric')}"])
    return events


def _unchanged(report: Report) -> list[Words]:
    data, facts = report.data, report.facts
    samples = counted(facts.samples, numbers.NOUN)
    others: list[Words] = []
    if data.added:  # these were compared with nothing
        samples = f"the {counted(data.matched, f'compared {numbers.NOUN}')}"
        new = len(set(data.added) - set(data.edited))
        kinds = [f"{new:,} new"] if new else []
        if data.edited:
            kinds.append(f"{len(data.edited):,} edited")
        others = [[f"{' and '.join(kinds)} in the golden set"]]

    if facts.affected == 0:
        first = f"no answer changed: the change reaches 0 of {samples}"
    elif facts.samples and report.unchanged >= facts.samples:
        first = f"no answer of {samples} changed"
    else:
        first = f"no score of {samples} moved"
    return [[first], *others]


class ReportSign(Enum):
    """What the reader sees first: a sign, and whether it asks for something."""

    BETTER = "better"
    HELD = "held"
    UNCHANGED = "unchanged"
    LOOK = "look"
    RED = "red"
    NO_DECISION = "no decision"
    BOOTSTRAP = "bootstrap"


_EVENTS = {
    ReportSign.RED: _red,
    ReportSign.NO_DECISION: _no_decision,
    ReportSign.BOOTSTRAP: _bootstrap,
    ReportSign.LOOK: _look,
    ReportSign.BETTER: _better,
    ReportSign.HELD: _held,
    ReportSign.UNCHANGED: _unchanged,
}
GREEN = (ReportSign.BETTER, ReportSign.HELD, ReportSign.UNCHANGED)
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
    decision = report.decision
    if decision.verdict is Verdict.FAILED:
        return ReportSign.RED
    if decision.verdict is not Verdict.PASSED:
        is_first = report.baseline_system is None and not decision.failed
        is_open = decision.verdict is Verdict.NO_DECISION and not is_first
        return ReportSign.NO_DECISION if is_open else ReportSign.BOOTSTRAP
    rows = [row for row in decision.rows if row.level != "off"]
    if any(map(wants_a_look, rows)) or unsure_slices(decision):
        return ReportSign.LOOK
    rows = [row for row in decision.metrics if row.level != "off"]
    if any(row.verdict is MetricVerdict.IMPROVED and row.better >= row.worse for row in rows):
        return ReportSign.BETTER
    is_still = all(row.verdict in STILL for row in rows)
    return ReportSign.UNCHANGED if is_still else ReportSign.HELD


def is_unaffected(report: Report) -> bool:
    """Whether a change did nothing that a reader has to hear of.

    What was low in the baseline already is a look on every change, and no news where this one
    reaches no sample and brings no rules or samples of its own.
    """
    if status_of(report) is ReportSign.UNCHANGED:
        return True
    data = report.data
    has_own = report.rules_differ or data.added or data.removed or data.renamed
    is_plain = report.decision.verdict is Verdict.PASSED and not report.decision.accepted
    return is_plain and report.facts.affected == 0 and not has_own and not report.samples
