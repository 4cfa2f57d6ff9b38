"""Whose rules a verdict went by, what the change's own rules say, and suggested floors."""

from collections.abc import Callable, Collection, Mapping

from ragate.core.rules.checked_metric import metric_of
from ragate.models import Proposed, Report, SuggestedFloor
from ragate.renderers._numbers import COMMENT
from ragate.renderers._tables import MOST_ROWS, SENTENCE, listing
from ragate.renderers._words import Name, Words
from ragate.support.escape import code, name

MOST_IDS = 10
MOST_FLOORS = 6


def checkout_note(report: Report) -> str:
    """Return the sentence, of our own words only; "" where the base's rules judged."""
    rules = report.checkout_rules
    if rules is None:
        return ""
    if not rules.base_read:
        return (
            "Judged by this checkout's own policy, golden set and baseline. On a pull request "
            "those of the base branch count, which could not be read here."
        )
    *names, last = rules.changed or ("policy",)
    changed = f"{', '.join(names)} and {last}" if names else last
    count = "On a pull request those of the base branch count."
    return f"Judged by this checkout's own {changed}. {count}"


def proposed_note(report: Report) -> str:
    """Return one sentence on what the change's own rules say, "" where it has none."""
    proposed = report.proposed
    if proposed is None:
        return ""
    differs = listing((code(line, SENTENCE) for line in proposed.differs), 3)
    clauses = "; ".join(filter(None, (_verdict_html(proposed), _changed(proposed), differs)))
    return f"<b>By this change's own rules (shown, does not decide):</b> {clauses}."


def floors_note(report: Report) -> str:
    """Return the floors that what was measured would keep, "" where there are none."""
    floors = [_floor(floor, name) for floor in report.suggested_floors[:MOST_FLOORS]]
    return f"<b>Suggested limits:</b> {', '.join(floors)}." if floors else ""


def proposed_rows(report: Report) -> list[list[str]]:
    """Return the folded table: what differs, and what came of it."""
    proposed = report.proposed
    if proposed is None:
        return []
    rows = [["differs", code(line, SENTENCE)] for line in proposed.differs]
    rows += [["reason", code(line, SENTENCE)] for line in proposed.reasons]
    rows += [["warning", code(line, SENTENCE)] for line in proposed.warnings]
    for word, ids in _samples(proposed).items():
        rows += [[word, listing(map(name, ids), MOST_IDS)]] if ids else []
    return rows[:MOST_ROWS]


def proposed_lines(report: Report, foreign: Callable[[str], str]) -> list[str]:
    """Return the same for a terminal; `foreign` is its filter for text of others."""
    lines = []
    proposed = report.proposed
    if proposed is not None:
        lines.append(f"By this change's own rules (shown, does not decide): {_verdict(proposed)}")
        lines += [f"  - {foreign(line)}" for line in (*proposed.differs, *proposed.reasons)]
        lines += [f"  - {foreign(proposed.note)}"] if proposed.note else []
        for word, ids in _samples(proposed).items():
            lines += [f"  - {word}: {foreign(', '.join(ids[:MOST_IDS]))}"] if ids else []
    if report.suggested_floors:
        floors = ", ".join(_floor(floor, foreign) for floor in report.suggested_floors)
        lines.append(f"Suggested limits: {floors}")
    return lines


def _verdict_html(proposed: Proposed) -> str:
    note = f" ({code(proposed.note, SENTENCE)})" if proposed.note else ""
    reasons = listing((code(line, SENTENCE) for line in proposed.reasons), 2)
    return f"<b>{_verdict(proposed)}</b>{note}" + (f": {reasons}" if reasons else "")


def _verdict(proposed: Proposed) -> str:
    return "could not be computed" if proposed.verdict is None else proposed.verdict.words


def golden_set_note(report: Report) -> str:
    """Return how many questions are not the baseline's, of our own words; "" where all are."""
    data = report.data
    counts = {
        "removed and not asked": len(data.gone),
        "reworded or with other references": len(data.edited),
        "renamed": len(data.renamed),
        "added": len(data.new),
    }
    words = _counted(counts, data.failing)
    return f"The golden set is not the baseline's: {words}." if words else ""


def checked_note(report: Report) -> Words:
    """Return where a metric comes from that blocks and is not in the policy; [] for none."""
    for row in report.decision.rows:
        metric = metric_of(row.metric)
        if row.blocks and metric != row.metric:
            comes = " is not in the policy: it comes with "
            does = ", and falls where fewer answers hold anything that the metric can check"
            return [Name(row.metric), comes, Name(metric), does]
    return []


def _counted(counts: Mapping[str, int], failing: Collection[str]) -> str:
    """Return the counts, and how many of the questions that are there now fail."""
    words = [f"{count:,} {word}" for word, count in counts.items() if count]
    if not words:
        return ""
    noun = "question" if words[0].startswith("1 ") else "questions"
    listed = ", ".join([words[0].replace(" ", f" {noun} ", 1), *words[1:]])
    if all(word.startswith(("removed", "no longer")) for word, count in counts.items() if count):
        return listed
    return f"{listed}; {len(failing) or 'none'} of them fail{'s' if len(failing) < 2 else ''} today"


def _changed(proposed: Proposed) -> str:
    counts = {word: len(ids) for word, ids in _samples(proposed).items()}
    return _counted(counts, proposed.failing)


def _samples(proposed: Proposed) -> dict[str, tuple[str, ...]]:
    renamed = tuple(f"{old} → {new}" for old, new in proposed.renamed.items())
    return {
        "removed": proposed.removed,
        "edited": proposed.edited,
        "renamed": renamed,
        "added": proposed.added,
        "no longer must_pass": proposed.released,
    }


def _floor(floor: SuggestedFloor, shown: Callable[[str], str]) -> str:
    mean = COMMENT.value(floor.unit, floor.mean)
    return f"{shown(floor.metric)} {floor.key} {floor.limit:g} (now {mean})"
