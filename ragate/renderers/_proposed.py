"""The proposed verdict and suggested floors: shown beside the verdict that counts."""

from __future__ import annotations

from collections.abc import Callable

from ragate.models import Proposed, Report, SuggestedFloor
from ragate.renderers._numbers import COMMENT
from ragate.renderers._tables import MOST_ROWS, SENTENCE, listing
from ragate.support.escape import code, name

MOST_IDS = 10
MOST_FLOORS = 6


def proposed_note(report: Report) -> str:
    """Return one sentence on what the change's own rules say, "" where it has none."""
    proposed = report.proposed
    if proposed is None:
        return ""
    parts = [_told(proposed), _what(proposed)]
    parts += [listing((code(one, SENTENCE) for one in proposed.differs), 3)]
    said = "; ".join(part for part in parts if part)
    return f"<b>By this change's own rules (shown, does not decide):</b> {said}."


def floors_note(report: Report) -> str:
    """Return the floors that what was measured would keep, "" where there are none."""
    told = [_floor(floor, name) for floor in report.suggested_floors[:MOST_FLOORS]]
    return f"<b>Suggested limits:</b> {', '.join(told)}." if told else ""


def proposed_rows(report: Report) -> list[list[str]]:
    """Return the folded table: what differs, and what came of it."""
    proposed = report.proposed
    if proposed is None:
        return []
    rows = [["differs", code(one, SENTENCE)] for one in proposed.differs]
    rows += [["reason", code(one, SENTENCE)] for one in proposed.reasons]
    rows += [["warning", code(one, SENTENCE)] for one in proposed.warnings]
    for word, ids in _samples(proposed).items():
        rows += [[word, listing(map(name, ids), MOST_IDS)]] if ids else []
    return rows[:MOST_ROWS]


def proposed_lines(report: Report, foreign: Callable[[str], str]) -> list[str]:
    """Return the same for a terminal; `foreign` is its filter for text of others."""
    lines = []
    proposed = report.proposed
    if proposed is not None:
        lines.append(f"By this change's own rules (shown, does not decide): {_said(proposed)}")
        lines += [f"  - {foreign(one)}" for one in (*proposed.differs, *proposed.reasons)]
        lines += [f"  - {foreign(proposed.note)}"] if proposed.note else []
        for word, ids in _samples(proposed).items():
            lines += [f"  - {word}: {foreign(', '.join(ids[:MOST_IDS]))}"] if ids else []
    if report.suggested_floors:
        told = ", ".join(_floor(floor, foreign) for floor in report.suggested_floors)
        lines.append(f"Suggested limits: {told}")
    return lines


def _told(proposed: Proposed) -> str:
    note = f" ({code(proposed.note, SENTENCE)})" if proposed.note else ""
    reasons = listing((code(one, SENTENCE) for one in proposed.reasons), 2)
    return f"<b>{_said(proposed)}</b>{note}" + (f": {reasons}" if reasons else "")


def _said(proposed: Proposed) -> str:
    if proposed.verdict is None:
        return "could not be computed"
    return proposed.verdict.value.replace("_", " ")


def _what(proposed: Proposed) -> str:
    counts = [f"{len(ids):,} {word}" for word, ids in _samples(proposed).items() if ids]
    return f"questions: {', '.join(counts)}" if counts else ""


def _samples(proposed: Proposed) -> dict[str, tuple[str, ...]]:
    return {"removed": proposed.removed, "edited": proposed.edited, "added": proposed.added}


def _floor(floor: SuggestedFloor, shown: Callable[[str], str]) -> str:
    mean = COMMENT.value(floor.unit, floor.mean)
    return f"{shown(floor.metric)} {floor.key} {floor.limit:g} (now {mean})"
